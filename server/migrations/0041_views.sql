-- Views of users, groups and sessions that need the tables of later features.

-- Users, deleted ones too, as administrators see them. The version includes those of the organisations, whose names are
-- returned with the user.
create view user_rows as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at, u.deleted_at, u.left_behind,
    u.created_at, u.updated_at, u.last_sign_in_at,
    (u.version + coalesce((
      select sum(o.people_version) from org_members m join orgs o on o.id = m.org_id where m.user_id = u.id), 0)
    )::integer as version,
    u.sort_name,
    case when u.disabled_at is not null then 'disabled' when u.activated_at is null then 'invited' else 'active' end
      as status,
    array(select m.role from role_members m where m.user_id = u.id order by m.role) as roles,
    array(select r.role from effective_roles r where r.user_id = u.id order by r.role) as effective_roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash, u.email_verified_by
  from users u;

-- The roles, groups and organisations of each user, with the sources of the roles and the times since when.
create view user_access as
  select u.id,
    coalesce((
      select jsonb_agg(jsonb_build_object('name', r.role, 'sources', r.sources) order by r.role)
      from (
        select s.role, jsonb_agg(
          case when s.group_id is null
            then jsonb_build_object('kind', 'direct', 'since', format_instant(s.since), 'by', (
              select jsonb_build_object('id', b.id, 'name', coalesce(b.display_name, b.username, b.email, b.id))
              from role_members m join users b on b.id = m.granted_by where m.user_id = u.id and m.role = s.role))
              || coalesce(mapping_source(u.id, 'role', s.role), '{}')
            else jsonb_build_object('kind', 'group', 'since', format_instant(s.since), 'group', (
              select jsonb_build_object('id', g.id, 'name', g.name) from groups g where g.id = s.group_id))
          end order by s.group_id is not null, s.since, s.group_id) as sources
        from role_sources s where s.user_id = u.id group by s.role) r), '[]') as roles,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name,
        'memberSince', format_instant(p.member_since), 'ownerSince', format_instant(p.owner_since),
        'roles', array(select gr.role from group_roles gr where gr.group_id = g.id order by gr.role)
      ) || coalesce(mapping_source(u.id, 'group', g.id) - 'by', '{}') order by g.sort_name, g.id)
      from (
        select group_id, max(member_since) as member_since, max(owner_since) as owner_since
        from (
          select group_id, added_at as member_since, null::timestamptz as owner_since
          from group_members where user_id = u.id
          union all
          select group_id, null, added_at from group_owners where user_id = u.id) q
        group by group_id) p
      join groups g on g.id = p.group_id and g.deleted_at is null), '[]') as groups,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role, 'since', format_instant(m.added_at))
        order by o.sort_name, o.id)
      from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null
      where m.user_id = u.id), '[]') as orgs
  from users u where u.deleted_at is null;

-- Groups, deleted ones too, with their roles and the name of their organisation.
create view group_summaries as
  select g.id, g.name, g.description, g.org_id, o.name as org_name, g.member_count, g.owner_count,
    array(select r.role from group_roles r where r.group_id = g.id order by r.role) as roles,
    g.version, g.created_at, g.updated_at, g.last_modified, g.deleted_at,
    -- SCIM clients of the organisation manage it.
    exists (select from scim_groups s where s.group_id = g.id) as is_provisioned
  from groups g left join orgs o on o.id = g.org_id;

-- The members of groups. Names contain no emails: everyone in a group may see them.
create view named_members as
  select m.group_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, m.added_at,
    u.search_words, (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash,
    case when exists (
      select from entra_grants e where e.user_id = m.user_id and e.kind = 'group' and e.target = m.group_id
    ) then 'mapping' end as source
  from group_members m join users u on u.id = m.user_id;

-- Pairs of users who share an organisation or a group. Contains the user themselves, and repeats pairs that share several.
create view acquaintances as
  select a.user_id, b.user_id as other_id
  from org_members a join orgs o on o.id = a.org_id and o.deleted_at is null join org_members b on b.org_id = a.org_id
  union all
  select a.user_id, b.user_id
  from (select group_id, user_id from group_members union all select group_id, user_id from group_owners) a
  join groups g on g.id = a.group_id and g.deleted_at is null
  join (select group_id, user_id from group_members union all select group_id, user_id from group_owners) b
    on b.group_id = a.group_id;

-- The accounts that wait for an expected user: an invitation, an administrator or an import made them, and they have never had
-- a login. One that SCIM clients of an organisation have provisioned, now or before, is none: its user has not agreed to belong
-- to that organisation. Memberships that administrators and owners gave the account are no obstacle: they could give them to
-- any account of the user.
create view prepared_accounts as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at
  from users u
  where u.deleted_at is null and u.activated_at is null
    and not exists (select from scim_users s where s.user_id = u.id);

-- The sessions of users who can sign in, with all that a request needs of its caller: it costs one statement.
create view session_callers as
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
    ) end as org_name,
    s.acr
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;

-- The sources of the conditions of a user search.

-- Users who are not deleted.
create view listed_users as
  select id, username, email, sort_name, search_words, created_at, activated_at, last_sign_in_at, disabled_at, address_words
  from users where deleted_at is null;

-- Users with a role, one row for each source of it.
create view users_with_role as
  select user_id, role from role_sources;

-- Users with a direct role, and with a role by a group: each view is read in the order of an index.
create view users_with_direct_role as
  select user_id, role from role_members;

create view users_with_group_role as
  select m.user_id, r.role, r.group_id
  from group_roles r join groups g on g.id = r.group_id and g.deleted_at is null
  join group_members m on m.group_id = r.group_id;

-- Users by organisation.
create view org_users as
  select user_id, org_id from org_members;

-- Users by identity provider, and by their subject there.
create view provider_users as
  select user_id, provider_id, subject from logins;
