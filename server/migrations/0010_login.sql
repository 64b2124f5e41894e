-- A sign-in attempt that has been answered by the identity provider. A second response to it is rejected.
create table spent_attempts (
  state_hash text primary key,
  expires_at timestamptz(3) not null
);
