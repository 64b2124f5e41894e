-- The people that Passport knows. Ids are UUIDv7, opaque to callers.
create table users (
  id text primary key,
  username text,
  display_name text,
  email text,
  email_verified boolean not null default false,
  disabled_at timestamptz(3),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1
);

create unique index users_username on users (lower(username)) where deleted_at is null;
