-- A user whom SCIM clients of an organisation provision. Of a released one, whom a client deleted, the row stays, so that
-- the same object id comes back with the same id.
create table scim_users (
  org_id text not null references orgs (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  -- The object id at Microsoft Entra; null if the client sent none.
  external_id uuid,
  user_name text not null,
  -- `account` if a client created the account, or took it over without other logins, organisations and roles.
  governs text not null check (governs in ('account', 'membership')),
  -- What the client said, by the names of RFC 7643.
  attributes jsonb not null default '{}',
  -- `disabled_at` of the user when SCIM disabled it: another time means that an administrator did.
  disabled_at timestamptz(3),
  -- When SCIM ended the membership and the login at the tenant; null while they exist.
  ended_at timestamptz(3),
  released_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  primary key (user_id, org_id)
);

create unique index scim_users_external_id on scim_users (org_id, external_id);
create index scim_users_user_name on scim_users (org_id, lower(user_name));
create index scim_users_by_creation on scim_users (org_id, created_at, user_id);

-- A group that SCIM clients of its organisation manage.
create table scim_groups (
  group_id text primary key references groups (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  -- The object id at Microsoft Entra, or another id of the client.
  external_id text,
  created_at timestamptz(3) not null default now()
);

create index scim_groups_org on scim_groups (org_id, created_at, group_id);
create index scim_groups_external_id on scim_groups (org_id, external_id);

-- A member whom a SCIM client added to its group. One whom an administrator added before stays when the client removes them.
create table scim_group_members (
  group_id text not null references groups (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  was_member boolean not null default false,
  primary key (group_id, user_id)
);

create index scim_group_members_user on scim_group_members (user_id, group_id);

-- Reports whether a user has a role that neither the mappings nor the groups of an organisation give.
create function has_global_role(person text, org text) returns boolean language sql stable as $$
  select exists (
      select from role_members m where m.user_id = person and not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'role' and e.target = m.role))
    or exists (
      select from group_members m
      join groups g on g.id = m.group_id and g.deleted_at is null and g.org_id is distinct from org
      join group_roles r on r.group_id = g.id
      where m.user_id = person and not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'group' and e.target = m.group_id))
$$;

-- The users of each organisation and their logins at its tenant, with what the rules of SCIM depend on. A user without
-- `governs` is not provisioned.
create view scim_people as
  select c.org_id, u.id, s.external_id::text as external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, greatest(s.updated_at, u.updated_at) as updated_at,
    coalesce(s.version, 0) || '.' || u.version as version,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (
      select from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null
      where m.user_id = u.id and m.org_id <> c.org_id) as has_other_orgs,
    has_global_role(u.id, c.org_id) as has_global_roles,
    (
      select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display', g.name) order by g.sort_name, g.id), '[]')
      from scim_group_members sm
      join group_members m on m.group_id = sm.group_id and m.user_id = sm.user_id
      join groups g on g.id = sm.group_id and g.deleted_at is null and g.org_id = c.org_id
      where sm.user_id = u.id
    ) as groups
  from entra_connections c
  join users u on true
  left join scim_users s on s.org_id = c.org_id and s.user_id = u.id;

-- The provisioned users that clients see, for lists and filters.
create view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id::text as external_id, s.user_name, s.created_at,
    greatest(s.updated_at, u.updated_at) as updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(u.display_name, s.user_name)) collate "C" as sort_display_name
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;

-- The identities of users at the tenants of organisations.
create view scim_identities as
  select c.org_id, l.user_id as id, l.subject from entra_connections c join logins l on l.issuer = 'entra:' || c.tenant_id;

-- The groups of clients, with the members that they added and that still are members.
create view scim_group_rows as
  select s.org_id, s.group_id as id, s.external_id, g.name, s.created_at, g.updated_at, g.version::text as version,
    g.deleted_at, lower(g.name) collate "C" as sort_name,
    (
      select coalesce(jsonb_agg(sm.user_id order by sm.user_id), '[]')
      from scim_group_members sm
      join group_members m on m.group_id = sm.group_id and m.user_id = sm.user_id
      where sm.group_id = s.group_id
    ) as members
  from scim_groups s join groups g on g.id = s.group_id and g.org_id = s.org_id;

-- The provisioned users and groups of each organisation, counted.
create view scim_counts as
  select c.org_id, n.users, n.inactive, n.membership_only,
    (
      select count(*)::integer from scim_groups s join groups g on g.id = s.group_id and g.deleted_at is null
      where s.org_id = c.org_id
    ) as groups
  from entra_connections c
  cross join lateral (
    select count(*)::integer as users,
      (count(*) filter (where u.disabled_at is not null or s.ended_at is not null))::integer as inactive,
      (count(*) filter (where s.governs = 'membership'))::integer as membership_only
    from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
    where s.org_id = c.org_id and s.released_at is null
  ) n;

create or replace view group_summaries as
  select g.id, g.name, g.description, g.org_id, o.name as org_name, g.member_count, g.owner_count,
    array(select r.role from group_roles r where r.group_id = g.id order by r.role) as roles,
    g.version, g.created_at, g.updated_at, g.last_modified, g.deleted_at,
    -- SCIM clients of the organisation manage it.
    exists (select from scim_groups s where s.group_id = g.id) as is_provisioned
  from groups g left join orgs o on o.id = g.org_id;
