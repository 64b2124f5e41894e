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

-- Returns whether a user is a member of a group, or has a role directly.
create function holds(person text, kind text, target text) returns boolean language sql stable as $$
  select case kind
    when 'group' then exists (select from group_members m where m.group_id = target and m.user_id = person)
    else exists (select from role_members m where m.role = target and m.user_id = person)
  end
$$;

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

-- Names of the records that audit events mention. The id of a tenant as an identity provider has a prefix.
create or replace view record_names as
  select id, coalesce(display_name, username, email) as name,
    (select a.png_hash from avatars a where a.user_id = users.id) as picture_hash
  from users
  union all select id, name, null from orgs
  union all select id, name, null from groups
  union all select 'entra:' || c.tenant_id, o.name, null from entra_connections c join orgs o on o.id = c.org_id;

create or replace view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash,
    s.browser_id,
    -- The name of the organisation whose tenant is the identity provider; null for those of the configuration.
    case when s.idp like 'entra:%' then (
      select o.name from entra_connections c join orgs o on o.id = c.org_id where c.tenant_id::text = substr(s.idp, 7)
    ) end as org_name
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
