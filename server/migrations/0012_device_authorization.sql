-- A request to sign a device in (RFC 8628). It is kept for a day after its codes expire, to report the outcome.
create table device_authorizations (
  user_code_hash text primary key,
  device_code_hash text not null unique,
  client_id text not null,
  scopes text[] not null,
  requested_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- Address and user agent of the device.
  ip text not null,
  user_agent text not null,
  -- The session of the browser that started the request; null for a device.
  session_id text,
  -- The number that the device shows and the user types; null for a device that cannot show one.
  match_number text,
  match_attempts_left integer not null default 3,
  -- When a user first opened the request.
  viewed_at timestamptz(3),
  decision text check (decision in ('approved', 'denied')),
  -- The id of the user who decided; null if the request ended with its session.
  decided_by text,
  decided_at timestamptz(3),
  last_polled_at timestamptz(3),
  -- How long the device must wait between two polls; grows by 5 with each poll that comes too soon.
  interval_seconds integer not null default 5,
  -- The approving user is shown a PIN, and the device gets no token before it is typed there
  -- (RFC 10027, request-initiation verification).
  is_pin_required boolean not null default false,
  -- The PIN and what the user allowed, sealed, until the PIN is typed.
  sealed_approval text,
  pin_attempts_left integer not null default 3,
  -- When the PIN was typed.
  confirmed_at timestamptz(3)
);

create index device_authorizations_expiry on device_authorizations (expires_at);
create index device_authorizations_session on device_authorizations (session_id) where session_id is not null;
-- For approvals that await their PIN and end when the user is disabled.
create index device_authorizations_approved on device_authorizations (decided_by) where sealed_approval is not null;

-- Notifies the server to which the browser of the session is connected.
create function notify_device() returns trigger language plpgsql set search_path from current as $$
begin
  if new.session_id is not null then
    perform pg_notify('device_authorizations', new.session_id);
  end if;
  return null;
end $$;

-- The device codes that wait for their user, by their hashes: a poll of one reads no more than that. With the client of the
-- request: a poll of another one, or of a client that is disabled or has changed, is not usual.
create view pending_device_codes as
  select a.id_hash, client.client_id, client.version as client_version from provider_artifacts a
  cross join lateral (
    select client_id, version from usable_clients c
    where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
    limit 1
  ) as client
  where a.issuer = 'passport' and a.kind = 'DeviceCode' and a.expires_at > now() and a.consumed_at is null
    and a.account_id is null;

create trigger device_authorizations_changed after insert or update of viewed_at, decision on device_authorizations
  for each row execute function notify_device();
