-- Where a device asks for it, whoever approves is shown a PIN, and the device gets nothing before that was typed on it
-- (RFC 10027, request-initiation verification).
alter table device_authorizations
  add column is_pin_required boolean not null default false,
  -- The PIN and what the person allowed, sealed, until it was typed.
  add column sealed_approval text,
  add column pin_attempts_left integer not null default 3,
  add column confirmed_at timestamptz(3);
