-- A user of the built-in identity provider. `id` is their `sub` there.
create table directory_people (
  id text primary key,
  -- In lower case.
  name text not null unique,
  display_name text not null,
  email text not null,
  -- argon2id.
  password_hash text not null,
  -- A demo user. A server that other machines can reach does not start with demo users.
  is_cast boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1
);
