-- What clients are yet to be told of sessions that ended (OpenID Connect Back-Channel Logout 1.0).
create table logout_notices (
  id text primary key default gen_random_uuid(),
  client_id text not null,
  account_id text not null,
  -- The name of the session in the ID tokens of the client.
  sid text not null,
  attempts integer not null default 0,
  due_at timestamptz(3) not null default now()
);

create index logout_notices_due on logout_notices (due_at);

create function tell_of_logout() returns trigger language plpgsql as $$
begin
  perform pg_notify('logout', '');
  return null;
end $$;

create trigger logout_notices_added after insert on logout_notices
  for each statement execute function tell_of_logout();
