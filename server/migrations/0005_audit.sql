create table audit_events (
  id text primary key,
  at timestamptz(3) not null default now(),
  -- Who did it: a user, or nobody where no one was signed in or the system acted.
  actor_id text,
  action text not null,
  -- What it was done to: a kind such as `user`, and an id of that kind.
  target_kind text not null,
  target_id text,
  before jsonb,
  after jsonb,
  reason text,
  ip text,
  user_agent text,
  trace_id text
);

create index audit_events_target on audit_events (target_kind, target_id, id);
create index audit_events_trace on audit_events (trace_id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('passport.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit_events is append-only';
end $$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();

-- The one way a row leaves. It records itself.
create function purge_audit_events(older_than_days integer) returns bigint language plpgsql as $$
declare
  purged bigint;
begin
  if older_than_days < 365 then
    raise exception 'audit events are kept for at least 365 days';
  end if;
  perform set_config('passport.audit_retention', 'on', true);
  delete from audit_events where at < now() - make_interval(days => older_than_days);
  get diagnostics purged = row_count;
  perform set_config('passport.audit_retention', 'off', true);
  if purged > 0 then
    insert into audit_events (id, action, target_kind, after)
    values (gen_random_uuid(), 'audit.purged', 'audit', jsonb_build_object('events', purged, 'olderThanDays', older_than_days));
  end if;
  return purged;
end $$;
