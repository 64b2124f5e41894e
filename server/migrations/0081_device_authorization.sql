-- The device codes that wait for their user, by their hashes: a poll of one reads no more than that.
create view pending_device_codes as
  select id_hash from provider_artifacts
  where issuer = 'passport' and kind = 'DeviceCode' and expires_at > now() and consumed_at is null and account_id is null;

-- Expired counters, for the job that removes them. A request only changes the points of a counter.
create index rate_limits_expiry on rate_limits (expire);

-- Expired attempts, for the same.
create index spent_attempts_expiry on spent_attempts (expires_at);
