-- A counter of requests or failures that all processes share, in the schema that rate-limiter-flexible requires.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  -- In milliseconds since 1970; null if the counter does not expire.
  expire bigint
);

-- Expired counters, for the job that removes them. A request only changes the points of a counter.
create index rate_limits_expiry on rate_limits (expire);

-- The response to a call with an `Idempotency-Key`. A row reveals neither the key nor the caller.
create table idempotency_keys (
  key_hash text primary key,
  -- The hash of the call that claimed the key. Another call with the same key is rejected.
  fingerprint text not null,
  claimed_at timestamptz(3) not null default now(),
  -- Sealed under the key itself; null until the call is answered.
  sealed_answer text
);

create index idempotency_keys_age on idempotency_keys (claimed_at);
