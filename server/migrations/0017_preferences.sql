-- A preference of a user: a value that an application stores under a key.
create table preferences (
  user_id text not null references users (id) on delete cascade,
  key text not null,
  value text not null check (value <> ''),
  updated_at timestamptz(3) not null default now(),
  primary key (user_id, key)
);
