-- The id of a user at the client is kept as it was sent. `object_id` is that of the user at the tenant: another external id
-- leads to no login.
alter table scim_users rename column external_id to object_id;
alter table scim_users add column external_id text;
update scim_users set external_id = object_id::text where object_id is not null;
alter index scim_users_external_id rename to scim_users_object_id;
create unique index scim_users_external_id on scim_users (org_id, external_id);

-- The name of a group as the client sent it, and the shorter one that the group got for it, if they differ. Another name of the
-- group is that of an administrator.
alter table scim_groups add column display_name text, add column shortened_name text;

create or replace view scim_people as
  select c.org_id, u.id, s.external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, coalesce(s.updated_at, u.created_at) as updated_at,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (select from org_members m where m.user_id = u.id and m.org_id <> c.org_id) as has_other_orgs,
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

drop view scim_listed_users;
-- An address that another account has is a contact of the user, and refuses nobody.
alter table scim_users drop column stated_email;

create view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id, s.user_name, s.created_at,
    s.updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(u.display_name, s.user_name)) collate "C" as sort_display_name, s.governs, s.object_id
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;

create or replace view scim_group_rows as
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

-- The groups of SCIM clients may have equal names, as at the tenant. Any other name is unique in the organisation.
alter table groups add column shares_name boolean not null default false;
alter table groups disable trigger groups_timed;
update groups set shares_name = true where id in (select group_id from scim_groups);
alter table groups enable trigger groups_timed;
drop index groups_name;
create unique index groups_name on groups (coalesce(org_id, ''), lower(name)) where deleted_at is null and not shares_name;
create index groups_shared_name on groups (coalesce(org_id, ''), lower(name)) where deleted_at is null and shares_name;

-- A name that several groups of an organisation have identifies none of them, so that the file has none of them.
create or replace view config_groups as
  select g.id, o.slug as org, g.name, lower(g.name) as folded_name, g.description,
    array(select r.role from group_roles r where r.group_id = g.id) as roles
  from groups g left join orgs o on o.id = g.org_id
  where g.deleted_at is null and not (g.shares_name and exists (
    select from groups n
    where coalesce(n.org_id, '') = coalesce(g.org_id, '') and lower(n.name) = lower(g.name) and n.deleted_at is null
      and n.shares_name and n.id <> g.id));
