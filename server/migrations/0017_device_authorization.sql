-- What is known of a request to sign a device in (RFC 8628): who asks, from where, and what became of it. It is kept
-- a day longer than its code is good, to say what happened. Neither code can be read from it.
create table device_authorizations (
  user_code_hash text primary key,
  device_code_hash text not null unique,
  client_id text not null,
  scopes text[] not null,
  requested_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- Of the device.
  ip text not null,
  user_agent text not null,
  -- The session in whose browser it was started, where it was one of ours.
  session_id text,
  -- The number that the device shows and the person must type; none for devices that cannot show one.
  match_number text,
  match_attempts_left integer not null default 3,
  viewed_at timestamptz(3),
  decision text check (decision in ('approved', 'denied')),
  decided_by text,
  decided_at timestamptz(3),
  last_polled_at timestamptz(3),
  -- How long the device must wait between two polls; grows each time it does not.
  interval_seconds integer not null default 5
);

create index device_authorizations_expiry on device_authorizations (expires_at);
create index device_authorizations_session on device_authorizations (session_id) where session_id is not null;
