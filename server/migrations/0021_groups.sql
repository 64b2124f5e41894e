-- Groups of people, run by their owners.
create table groups (
  id text primary key,
  name text not null,
  description text not null default '',
  org_id text references orgs (id),
  member_count integer not null default 0,
  owner_count integer not null default 0,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  -- Of the group, its members and its owners alike.
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  sort_name text collate "C" not null generated always as (plain_text(name)) stored,
  search_words tsvector not null generated always as (words_of(name || ' ' || description)) stored
);

create unique index groups_name on groups (coalesce(org_id, ''), lower(name)) where deleted_at is null;
create index groups_by_name on groups (sort_name, id) where deleted_at is null;
create index groups_by_update on groups (updated_at, id);
create index groups_by_org on groups (org_id, sort_name, id) where deleted_at is null;
create index groups_search on groups using gin (search_words) where deleted_at is null;
create index groups_deleted on groups (deleted_at, id) where deleted_at is not null;

create table group_members (
  group_id text not null references groups (id),
  user_id text not null references users (id),
  added_at timestamptz(3) not null default now(),
  added_by text,
  primary key (group_id, user_id)
);

create index group_members_user on group_members (user_id, group_id);

create table group_owners (
  group_id text not null references groups (id),
  user_id text not null references users (id),
  added_at timestamptz(3) not null default now(),
  added_by text,
  primary key (group_id, user_id)
);

create index group_owners_user on group_owners (user_id, group_id);

-- The roles that every member of a group has.
create table group_roles (
  group_id text not null references groups (id),
  role text not null references roles (name) on update cascade,
  granted_at timestamptz(3) not null default now(),
  granted_by text,
  primary key (group_id, role)
);

create index group_roles_role on group_roles (role, group_id);
