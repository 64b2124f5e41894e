-- Organisations: customers, each with people and domains of its own.
create table orgs (
  id text primary key,
  name text not null,
  slug text not null,
  kind text not null default 'standard' check (kind in ('standard', 'entra')),
  -- Kept with the memberships, so that lists need not count.
  member_count integer not null default 0,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  sort_name text collate "C" not null generated always as (plain_text(name)) stored,
  search_words tsvector not null generated always as (words_of(name || ' ' || slug)) stored
);

create unique index orgs_slug on orgs (lower(slug)) where deleted_at is null;
create index orgs_by_name on orgs (sort_name, id) where deleted_at is null;
create index orgs_search on orgs using gin (search_words) where deleted_at is null;
create index orgs_deleted on orgs (deleted_at, id) where deleted_at is not null;

create table org_members (
  org_id text not null references orgs (id),
  user_id text not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member')),
  added_at timestamptz(3) not null default now(),
  added_by text,
  primary key (org_id, user_id)
);

create index org_members_user on org_members (user_id, org_id);

-- The organisations of each person as the service tells of them everywhere: `[{id, name, role}]`.
create view orgs_of_users as
  select m.user_id,
    jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role) order by o.sort_name, o.id) as orgs
  from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null
  group by m.user_id;
