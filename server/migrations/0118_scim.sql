-- Reports whether a user has a role that neither the mappings nor the groups of an organisation give, or owns a group with
-- a role. Passport's own roles come from neither: only an administrator of the server gives them, also to a group. Groups in
-- the trash count, because a restore gives their roles back.
create or replace function has_global_role(person text, org text) returns boolean language sql stable
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

-- Like before, but organisations in the trash count among the others of a user, because a restore gives the membership back.
create or replace view scim_people as
  select c.org_id, u.id, s.external_id::text as external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, greatest(s.updated_at, u.updated_at) as updated_at,
    coalesce(s.version, 0) || '.' || u.version as version,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (select from org_members m where m.user_id = u.id and m.org_id <> c.org_id) as has_other_orgs,
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
