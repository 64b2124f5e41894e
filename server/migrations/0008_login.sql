-- The sign-in attempts whose answer has come: an answer counts once.
create table spent_attempts (
  state_hash text primary key,
  expires_at timestamptz(3) not null
);
