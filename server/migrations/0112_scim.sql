-- Reports whether a user has a role that neither the mappings nor the groups of an organisation give, or owns a group with
-- a role. The groups of an organisation give none of Passport's own roles: only an administrator of the server does.
create or replace function has_global_role(person text, org text) returns boolean language sql stable as $$
  select exists (
      select from role_members m where m.user_id = person and not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'role' and e.target = m.role))
    or exists (
      select from group_members m
      join groups g on g.id = m.group_id and g.deleted_at is null
      join group_roles r on r.group_id = g.id and (g.org_id is distinct from org or starts_with(r.role, 'Passport.'))
      where m.user_id = person and not exists (
        select from entra_grants e
        where e.org_id = org and e.user_id = person and e.kind = 'group' and e.target = m.group_id))
    or exists (
      select from group_owners o
      join groups g on g.id = o.group_id and g.deleted_at is null
      join group_roles r on r.group_id = g.id
      where o.user_id = person)
$$;
