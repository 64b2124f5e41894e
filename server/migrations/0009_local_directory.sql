-- The people of the built-in identity provider. `id` is their `sub` there.
create table directory_people (
  id text primary key,
  name text not null unique,
  display_name text not null,
  email text not null,
  password_hash text not null,
  -- One of the demonstration people, with whom no server starts that others can reach.
  is_cast boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1
);
