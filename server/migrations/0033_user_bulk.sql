-- How a change of many people is taken back, for a short while.
create table user_undos (
  token_hash text primary key,
  -- What was done.
  action text not null,
  role text,
  done_by text not null,
  expires_at timestamptz(3) not null
);

create index user_undos_expiry on user_undos (expires_at);

create table user_undo_rows (
  token_hash text not null references user_undos (token_hash) on delete cascade,
  user_id text not null,
  -- Of the person, once it was done: whoever has another one changed since.
  version bigint not null,
  undone_at timestamptz(3),
  primary key (token_hash, user_id)
);
