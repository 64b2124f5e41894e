create table preferences (
  user_id text not null references users (id),
  key text not null,
  value text not null check (value <> ''),
  updated_at timestamptz(3) not null default now(),
  primary key (user_id, key)
);
