-- A change of many users that can be undone for a short time.
create table user_undos (
  token_hash text primary key,
  action text not null,
  -- The role that was granted or removed; null for other actions.
  role text,
  -- The id of the only user who may undo it.
  done_by text not null,
  expires_at timestamptz(3) not null
);

create index user_undos_expiry on user_undos (expires_at);

-- A user whom the change affected.
create table user_undo_rows (
  token_hash text not null references user_undos (token_hash) on delete cascade,
  user_id text not null,
  -- The version of the user after the change. With another version, the user has changed since.
  version bigint not null,
  undone_at timestamptz(3),
  primary key (token_hash, user_id)
);
