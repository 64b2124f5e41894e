-- A preference of a user: a value that an application stores under a key.
create table preferences (
  user_id text not null references users (id) on delete cascade,
  key text not null,
  value text not null check (value <> ''),
  updated_at timestamptz(3) not null default now(),
  primary key (user_id, key)
);

-- An earlier value of a preference. It is kept for 90 days after it was replaced.
create table preference_versions (
  id bigint generated always as identity primary key,
  user_id text not null references users (id) on delete cascade,
  key text not null,
  value text not null,
  saved_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null default now(),
  -- What the version counts in the history of its user.
  size integer generated always as (greatest(octet_length(key) + octet_length(value), 512)) stored
);

create index preference_versions_by_key on preference_versions (user_id, key, id desc) include (size);
create index preference_versions_by_time on preference_versions (replaced_at);
