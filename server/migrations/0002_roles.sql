create table roles (
  name text primary key,
  description text not null,
  built_in boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1
);

insert into roles (name, description, built_in) values
  ('Passport.Admin', 'Runs the console: people, organisations, access and the marketplace.', true),
  ('Passport.Developer', 'Makes tokens and tries sign-in flows in the developer area.', true);

create table role_members (
  role text not null references roles (name),
  user_id text not null references users (id),
  granted_at timestamptz(3) not null default now(),
  primary key (user_id, role)
);

create index role_members_role on role_members (role, user_id);

-- The one place that says which roles a person has, for guards, tokens and the console alike.
create view effective_roles as
  select user_id, role from role_members;
