-- The tenant of Microsoft Entra that belongs to an organisation.
create table entra_connections (
  org_id text primary key references orgs (id) on delete cascade,
  -- The tenant belongs to an organisation until the organisation is purged from the trash.
  tenant_id uuid not null unique,
  -- The id of a cloud in the configuration, such as `AzurePublic`.
  cloud text not null,
  -- The names of the tenant at Microsoft, as of the last look.
  display_name text not null,
  default_domain text,
  -- Consent is `granted` only by an app-only token of the tenant and its `GET /organization`.
  consent text not null default 'pending' check (consent in ('none', 'pending', 'granted', 'revoked')),
  consented_at timestamptz(3),
  sign_in_enabled boolean not null default false,
  -- The last successful test sign-in since the last change of what it tested; null requires another one.
  tested_at timestamptz(3),
  -- Guests of the tenant may sign in.
  allow_guests boolean not null default false,
  -- What the groups and app roles of the tenant grant: objects with groupObjectId or appRole, and groupId or role.
  mappings jsonb not null default '[]',
  -- Why the last consent link failed: `{code, permission, at}`.
  consent_failure jsonb,
  -- Verified domains of the tenant that the organisation did not get, as of the last consent: `[{domain, reason}]`.
  rejected_domains jsonb not null default '[]'
);

create index entra_connections_domain on entra_connections (default_domain);
-- Organisations are found by the id and the default domain of their tenant.
create index entra_connections_tenant on entra_connections ((tenant_id::text));

-- A link that asks an administrator of the tenant for consent. A used or replaced link stays until it expires, so that
-- its response can be explained.
create table entra_consent_links (
  -- SHA-256 of the state.
  state_hash text primary key,
  org_id text not null references orgs (id) on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- When a newer link replaced this one.
  replaced_at timestamptz(3),
  -- As in `scim_tokens`.
  setup_link_id text references setup_links (id) on delete set null
);

create index entra_consent_links_org on entra_consent_links (org_id);
create index entra_consent_links_by_expiry on entra_consent_links (expires_at);
create index entra_consent_links_by_setup_link on entra_consent_links (setup_link_id) where setup_link_id is not null;

-- The groups and app roles of a login at its last sign-in, from which changed mappings are evaluated again.
create table entra_claims (
  login_id text primary key references logins (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  groups uuid[] not null default '{}',
  roles text[] not null default '{}',
  evaluated_at timestamptz(3) not null default now()
);

create index entra_claims_org on entra_claims (org_id);

-- What a user has by a mapping only. Manual memberships and roles have no row here and outlast the mapping.
create table entra_grants (
  org_id text not null references orgs (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  kind text not null check (kind in ('group', 'role')),
  -- A group id, or the name of a role.
  target text not null,
  granted_at timestamptz(3) not null default now(),
  primary key (org_id, user_id, kind, target)
);

create index entra_grants_user on entra_grants (user_id, kind, target);
create index entra_grants_target on entra_grants (kind, target);

-- Returns whether a user is a member of a group, or has a role directly.
create function holds(person text, kind text, target text) returns boolean language sql stable
begin atomic
  select case kind
    when 'group' then exists (select from group_members m where m.group_id = target and m.user_id = person)
    else exists (select from role_members m where m.role = target and m.user_id = person)
  end;
end;

-- Returns the organisation whose mapping gives a user a group or role, as the source of the grant; null for a manual one.
create function mapping_source(person text, kind text, target text) returns jsonb language sql stable
begin atomic
  select jsonb_build_object('source', 'mapping', 'by', jsonb_build_object('id', o.id, 'name', o.name))
  from entra_grants e join orgs o on o.id = e.org_id
  where e.user_id = person and e.kind = $2 and e.target = $3
  order by e.granted_at, o.id limit 1;
end;

-- The tenant of each organisation, with the organisation and its last consent link.
create view entra_rows as
  select c.org_id, c.tenant_id::text as tenant_id, c.cloud, c.display_name, c.default_domain, c.consent, c.consented_at,
    c.sign_in_enabled, c.tested_at, c.allow_guests, c.mappings, c.consent_failure, c.rejected_domains,
    o.name as org_name, o.deleted_at as org_deleted_at,
    (
      select max(l.expires_at) from entra_consent_links l
      where l.org_id = c.org_id and l.used_at is null and l.replaced_at is null
    ) as consent_link_expires_at
  from entra_connections c join orgs o on o.id = c.org_id;

-- The groups and roles of each user by the mappings of an organisation that is not deleted, from the groups and app roles
-- at the user's last sign-in. Never includes a built-in role, or a group that has one.
create view entra_targets as
  select distinct c.org_id, l.user_id, t.kind, t.target
  from entra_connections c
  join orgs o on o.id = c.org_id and o.deleted_at is null
  join entra_claims k on k.org_id = c.org_id
  join logins l on l.id = k.login_id
  join users u on u.id = l.user_id and u.deleted_at is null
  cross join lateral jsonb_array_elements(c.mappings) m
  cross join lateral (
    select 'group' as kind, g.id as target from groups g
    where g.id = m ->> 'groupId' and g.deleted_at is null
      and not exists (
        select from group_roles gr join roles r on r.name = gr.role
        where gr.group_id = g.id and (r.built_in or r.name like 'Passport.%'))
    union all
    select 'role', r.name from roles r where r.name = m ->> 'role' and not r.built_in and r.name not like 'Passport.%'
  ) t
  where (m ->> 'groupObjectId')::uuid = any(k.groups) or m ->> 'appRole' = any(k.roles);

-- The users of each organisation who have signed in through its tenant.
create view entra_logins as
  select k.org_id, l.user_id, l.id from entra_claims k join logins l on l.id = k.login_id;

-- How users differ from `entra_targets`: what they gain, and what they have by a mapping only and lose. A membership by the
-- mapping of another organisation counts as a gain, so that it outlasts that mapping. `is_held` is whether the user has the
-- membership or role. Those of deleted users and groups are kept until they are restored.
create view entra_differences as
  select t.org_id, t.user_id, t.kind, t.target, true as is_gain, h.is_held
  from entra_targets t
  cross join lateral holds(t.user_id, t.kind, t.target) h (is_held)
  where not h.is_held or (
    exists (select from entra_grants e where e.user_id = t.user_id and e.kind = t.kind and e.target = t.target)
    and not exists (
      select from entra_grants e
      where e.org_id = t.org_id and e.user_id = t.user_id and e.kind = t.kind and e.target = t.target))
  union all
  select e.org_id, e.user_id, e.kind, e.target, false, h.is_held
  from entra_grants e
  join users u on u.id = e.user_id and u.deleted_at is null
  cross join lateral holds(e.user_id, e.kind, e.target) h (is_held)
  where not exists (select from groups g where e.kind = 'group' and g.id = e.target and g.deleted_at is not null)
    and not exists (
      select from entra_targets t
      where t.org_id = e.org_id and t.user_id = e.user_id and t.kind = e.kind and t.target = e.target);

-- The roles that a sign-in through the tenant of each organisation leads to: those of its users, and of its mappings.
create view entra_reachable_roles as
  select c.org_id, p.role from entra_connections c
  join logins l on l.issuer = 'entra:' || c.tenant_id
  join role_powers p on p.user_id = l.user_id
  union
  select c.org_id, coalesce(r.role, m ->> 'role') from entra_connections c
  cross join lateral jsonb_array_elements(c.mappings) m
  left join group_roles r on r.group_id = m ->> 'groupId'
  where coalesce(r.role, m ->> 'role') is not null;

-- The users of the tenant of each organisation who own an organisation.
create view entra_reachable_owners as
  select c.org_id, o.user_id from entra_connections c
  join logins l on l.issuer = 'entra:' || c.tenant_id
  join org_ownerships o on o.user_id = l.user_id;

create view findable_tenants as
  select org_id, tenant_id::text as tenant_id, default_domain from entra_connections;
