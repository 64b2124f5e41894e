-- An organisation: a customer with members and domains.
create table orgs (
  id text primary key,
  name text not null,
  slug text not null,
  kind text not null default 'standard' check (kind in ('standard', 'entra')),
  -- Written with each change of the memberships, so that lists need not count.
  member_count integer not null default 0,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  sort_name text collate "C" not null generated always as (plain_text(name)) stored,
  search_words tsvector not null generated always as (words_of(name || ' ' || slug)) stored,
  -- A part of the version of each member: a user is returned with the names of their organisations. This avoids an update
  -- of all members when the organisation is renamed, deleted or restored.
  people_version bigint not null default 0
);

create unique index orgs_slug on orgs (lower(slug)) where deleted_at is null;
create index orgs_by_name on orgs (sort_name, id) where deleted_at is null;
create index orgs_search on orgs using gin (search_words) where deleted_at is null;
create index orgs_deleted on orgs (deleted_at, id) where deleted_at is not null;
create index orgs_by_creation on orgs (created_at, id) where deleted_at is null;
create index orgs_by_members on orgs (member_count, id) where deleted_at is null;

-- A membership of a user in an organisation.
create table org_members (
  org_id text not null references orgs (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  added_at timestamptz(3) not null default now(),
  -- A user id; null if the system added the member.
  added_by text,
  -- Owners are listed first, then admins.
  rank smallint not null
    generated always as (case role when 'owner' then 0 when 'admin' then 1 else 2 end) stored,
  -- Whether the user or an administrator agreed to the membership. An owner or admin of the organisation can add any account by
  -- its id; until its user agrees, that takes nothing from the organisation that provisions the account.
  is_accepted boolean not null default true,
  primary key (org_id, user_id)
);

create index org_members_user on org_members (user_id, org_id);
create index org_members_by_rank on org_members (org_id, rank, added_at, user_id);

-- A domain that an organisation claims.
create table org_domains (
  org_id text not null references orgs (id) on delete cascade,
  domain text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'lapsed')),
  -- Published in the DNS of the domain, so it is not a secret.
  challenge text not null,
  added_at timestamptz(3) not null default now(),
  -- Null until the first verification.
  verified_at timestamptz(3),
  checked_at timestamptz(3),
  -- Since when the DNS record is missing; null while it is there.
  failing_since timestamptz(3),
  -- Who verified a domain: Passport by its DNS record, or Microsoft, as a domain of the organisation's tenant. Only the former
  -- needs the record and lapses without it.
  source text not null default 'dns' check (source in ('dns', 'microsoft')),
  primary key (org_id, domain)
);

-- One organisation at a time has verified a domain.
create unique index org_domains_verified on org_domains (domain) where status = 'verified';
create index org_domains_to_check on org_domains (checked_at) where status = 'verified' and source = 'dns';

-- Increments `people_version` of the changed organisation.
create function count_people_version() returns trigger language plpgsql set search_path from current as $$
begin
  new.people_version := old.people_version + 1;
  return new;
end $$;

-- Increments the versions of the users whose memberships changed.
create function touch_org_people() returns trigger language plpgsql set search_path from current as $$
begin
  if current_setting('passport.bulk_load', true) = 'on' then
    return null;
  end if;
  update users set updated_at = now(), version = version + 1 where id in (select user_id from concerned);
  return null;
end $$;

-- Increments the versions of former members, by the `people_version` that no longer counts as well: no version repeats.
create function touch_former_org_members() returns trigger language plpgsql set search_path from current as $$
begin
  update users set updated_at = now(), version = version + 1 + coalesce((
    select sum(o.people_version) from concerned c join orgs o on o.id = c.org_id where c.user_id = users.id), 0)
  where id in (select user_id from concerned);
  return null;
end $$;

-- The organisations of each user, in the form of the API: `[{id, name, role}]`.
create view orgs_of_users as
  select m.user_id,
    jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role) order by o.sort_name, o.id) as orgs
  from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null
  group by m.user_id;

-- The members of organisations. Names contain no emails: the owner of an organisation can add any user.
create view org_people as
  select m.org_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as name, u.username, m.role,
    m.rank, m.added_at as since, u.search_words,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from org_members m join users u on u.id = m.user_id;

-- Organisations, deleted ones too, as the API returns them.
create view org_rows as
  select id, name, slug, kind, member_count, created_at, updated_at, deleted_at, version::integer, sort_name, search_words
  from orgs;

-- The verified domains of organisations that are not deleted.
create view verified_domains as
  select d.domain, o.id as org_id, o.name as org_name
  from org_domains d join orgs o on o.id = d.org_id and o.deleted_at is null
  where d.status = 'verified';

-- The organisations that users own, except deleted users. A change that adds a row, or makes one active, gives the ownership.
-- An organisation in the trash has its rows too, because a restore gives the ownership back.
create view org_ownerships as
  select m.user_id, m.org_id, u.disabled_at is null and o.deleted_at is null as is_active,
    o.deleted_at is not null as is_in_trash
  from org_members m
  join orgs o on o.id = m.org_id
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.role = 'owner';

create trigger orgs_version_counted before update of name, deleted_at on orgs for each row
  when (old.name is distinct from new.name or old.deleted_at is distinct from new.deleted_at)
  execute function count_people_version();

-- A user is returned with their organisations, so each change of a membership increments the version of the user.
create trigger org_members_added after insert on org_members
  referencing new table as concerned for each statement execute function touch_org_people();
create trigger org_members_changed after update on org_members
  referencing new table as concerned for each statement execute function touch_org_people();
create trigger org_members_removed after delete on org_members
  referencing old table as concerned for each statement execute function touch_former_org_members();
