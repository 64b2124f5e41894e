-- What calls that carried an Idempotency-Key were answered. Neither the key nor who sent it can be told from a row.
create table idempotency_keys (
  key_hash text primary key,
  -- Of the call that took the key: another call with the same key is refused.
  fingerprint text not null,
  claimed_at timestamptz(3) not null default now(),
  -- Opens with the key alone; nothing until the call is answered.
  sealed_answer text
);

create index idempotency_keys_age on idempotency_keys (claimed_at);
