-- A token with which the identity provider of a customer provisions an organisation by SCIM (RFC 7644). Expired and revoked
-- tokens stay for 30 days, so that the log of requests can name them.
create table scim_tokens (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  name text not null,
  -- SHA-256
  token_hash text not null unique,
  -- The first characters of the value, by which an administrator recognises it.
  start text not null,
  created_at timestamptz(3) not null default now(),
  -- A user id; null for a token that a set-up link created.
  created_by text,
  from_setup_link boolean not null default false,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  -- To the minute.
  last_used_at timestamptz(3),
  last_used_ip text,
  -- The set-up link in whose browser it was created, so that revoking the link ends it too. Null for one that an
  -- administrator created, and once the link is deleted.
  setup_link_id text references setup_links (id) on delete set null
);

create index scim_tokens_org on scim_tokens (org_id, created_at);
create index scim_tokens_ended on scim_tokens (least(expires_at, revoked_at));
create index scim_tokens_by_setup_link on scim_tokens (setup_link_id) where setup_link_id is not null;

-- A request of a SCIM client, redacted. The last 200 of an organisation are kept, for 30 days.
create table scim_requests (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  at timestamptz(3) not null default now(),
  token_id text references scim_tokens (id) on delete set null,
  method text not null,
  path text not null,
  status integer not null,
  duration_ms integer not null,
  -- `{scimType, detail, help}`; null for a success.
  error jsonb,
  notes text[] not null default '{}',
  request_body text,
  response_body text,
  ip text not null,
  user_agent text not null,
  trace_id text not null
);

create index scim_requests_org on scim_requests (org_id, at, id);
create index scim_requests_token on scim_requests (token_id);
create index scim_requests_by_time on scim_requests (at);

-- A user whom SCIM clients of an organisation provision. Of a released one, whom a client deleted, the row stays, so that
-- the same object id comes back with the same id.
create table scim_users (
  org_id text not null references orgs (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  -- The object id at Microsoft Entra: another external id leads to no login. Null if the client sent none.
  object_id uuid,
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
  -- The id of the user at the client, as it was sent.
  external_id text,
  primary key (user_id, org_id)
);

create unique index scim_users_object_id on scim_users (org_id, object_id);
create index scim_users_user_name on scim_users (org_id, lower(user_name));
create index scim_users_by_creation on scim_users (org_id, created_at, user_id);
create unique index scim_users_external_id on scim_users (org_id, external_id);

-- A group that SCIM clients of its organisation manage.
create table scim_groups (
  group_id text primary key references groups (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  -- The object id at Microsoft Entra, or another id of the client.
  external_id text,
  created_at timestamptz(3) not null default now(),
  -- The name of a group as the client sent it, and the shorter one that the group got for it, if they differ. Another name of
  -- the group is that of an administrator.
  display_name text,
  shortened_name text
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

-- Reports whether a user has a role that neither the mappings nor the groups of an organisation give, or owns a group with
-- a role. Passport's own roles come from neither: only an administrator of the server gives them, also to a group. Groups in
-- the trash count, because a restore gives their roles back.
create function has_global_role(person text, org text) returns boolean language sql stable
  return exists (
      select from role_members m where m.user_id = person and (starts_with(m.role, 'Passport.') or not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'role' and e.target = m.role)))
    or exists (
      select from group_members m
      join groups g on g.id = m.group_id
      join group_roles r on r.group_id = g.id
      where m.user_id = person and (starts_with(r.role, 'Passport.') or g.org_id is distinct from org and not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'group' and e.target = m.group_id)))
    or exists (
      select from group_owners o
      join group_roles r on r.group_id = o.group_id
      where o.user_id = person);

-- The time of the last change moves only with what the client sees: the state of the account if the client sets it, and name
-- and address if the client sets them and SCIM governs the account, which has no other logins, organisations or roles.
create function time_scim_change() returns trigger language plpgsql set search_path from current as $$
begin
  update scim_users s set updated_at = now()
  from scim_people p
  where s.user_id = new.id and p.id = s.user_id and p.org_id = s.org_id and (
    s.attributes ? 'active' and s.ended_at is null and (old.disabled_at is null) <> (new.disabled_at is null)
    or s.governs = 'account' and not (p.has_other_logins or p.has_other_orgs or p.has_global_roles) and (
      s.attributes ? 'displayName' and old.display_name is distinct from new.display_name
      or s.attributes ? 'emails' and old.email <> new.email));
  return null;
end $$;

-- SCIM tokens with the names of their creators. A token counts only while the organisation is not deleted.
create view scim_token_rows as
  select t.id, t.org_id, t.name, t.token_hash, t.start, t.created_at, t.from_setup_link, t.expires_at, t.last_used_at,
    t.last_used_ip, t.created_by, c.tenant_id::text as tenant_id, coalesce(u.display_name, u.username, u.email) as creator_name,
    case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired' else 'live' end as state,
    t.setup_link_id, coalesce(t.created_by, l.created_by) as responsible_id
  from scim_tokens t
  join orgs o on o.id = t.org_id and o.deleted_at is null
  join entra_connections c on c.org_id = t.org_id
  left join users u on u.id = t.created_by
  left join setup_links l on l.id = t.setup_link_id;

create view scim_request_rows as
  select r.id, r.org_id, r.at, r.method, r.path, r.status, r.duration_ms, r.error, r.notes, r.request_body, r.response_body,
    r.ip, r.user_agent, r.trace_id,
    case when t.id is not null then jsonb_build_object('id', t.id, 'name', t.name) end as token
  from scim_requests r left join scim_tokens t on t.id = r.token_id;

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
    ) as members,
    case when s.shortened_name = g.name then s.display_name else g.name end as display_name
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

-- The users of each organisation and their logins at its tenant, with what the rules of SCIM depend on. A user without
-- `governs` is not provisioned. The time of the last change is the one that the clients of the organisation may see. Of other
-- organisations only the memberships count to which somebody agreed, also in organisations in the trash, because a restore
-- gives them back; those of a deleted user, which a restore gives back too, are compared by organisation.
create view scim_people as
  select c.org_id, u.id, s.external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, coalesce(s.updated_at, u.created_at) as updated_at,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (select from org_members m where m.user_id = u.id and m.org_id <> c.org_id and m.is_accepted)
      or exists (
        select from jsonb_array_elements(u.left_behind -> 'orgs') former
        where former ->> 'orgId' <> c.org_id and coalesce((former ->> 'isAccepted')::boolean, true)) as has_other_orgs,
    has_global_role(u.id, c.org_id) as has_global_roles,
    (
      select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display',
        case when sg.shortened_name = g.name then sg.display_name else g.name end)
        order by g.sort_name, g.id), '[]')
      from scim_group_members sm
      join group_members m on m.group_id = sm.group_id and m.user_id = sm.user_id
      join groups g on g.id = sm.group_id and g.deleted_at is null and g.org_id = c.org_id
      join scim_groups sg on sg.group_id = g.id
      where sm.user_id = u.id
    ) as groups,
    s.object_id::text as object_id
  from entra_connections c
  join users u on true
  left join scim_users s on s.org_id = c.org_id and s.user_id = u.id;

-- The provisioned users that clients see, for lists and filters. SCIM clients sort by the display name that they sent, as they
-- filter by it. That of the account would show them, by the order and in the cursor, what others call a user with other logins,
-- organisations or roles.
create view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id, s.user_name, s.created_at,
    s.updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(s.attributes ->> 'displayName', s.user_name)) collate "C" as sort_display_name, s.governs, s.object_id
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;

create trigger users_scim_changed after update of display_name, email, disabled_at on users for each row
  when (old.display_name is distinct from new.display_name or old.disabled_at is distinct from new.disabled_at
    or old.email <> new.email)
  execute function time_scim_change();
