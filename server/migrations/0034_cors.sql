-- The allowed origins of a stack, as administrators saved them, sorted. Null means those of the configuration.
create table cors_origins (
  stack text primary key,
  origins text[],
  -- What every change increments, for If-Match.
  revision integer not null default 0,
  updated_at timestamptz(3) not null default now(),
  -- The id of an actor, as in `audit_events`.
  updated_by text
);

-- Notifies servers, which keep the origins in memory, to read them again.
create function notify_cors_origins_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('cors_origins', '');
  return null;
end $$;

create trigger cors_origins_changed after insert or update or delete on cors_origins
  for each statement execute function notify_cors_origins_changed();
