-- Like before, but a role or an ownership by a group in the trash is a row too, because a restore of the group gives it back.
-- A user who has a power in several ways has it as far as the best of them.
create or replace view role_powers as
  select p.user_id, p.role, p.is_owner, bool_or(not p.is_in_trash) and u.disabled_at is null as is_active,
    bool_and(p.is_in_trash) as is_in_trash
  from (
    select user_id, role, false as is_owner, false as is_in_trash from role_members
    union all
    select m.user_id, r.role, false, g.deleted_at is not null
    from group_roles r join groups g on g.id = r.group_id join group_members m on m.group_id = g.id
    union all
    select o.user_id, r.role, true, g.deleted_at is not null
    from group_roles r join groups g on g.id = r.group_id join group_owners o on o.group_id = g.id
  ) p
  join users u on u.id = p.user_id and u.deleted_at is null
  group by p.user_id, p.role, p.is_owner, u.disabled_at;

-- Like before, with those of organisations in the trash.
create or replace view org_ownerships as
  select m.user_id, m.org_id, u.disabled_at is null and o.deleted_at is null as is_active,
    o.deleted_at is not null as is_in_trash
  from org_members m
  join orgs o on o.id = m.org_id
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.role = 'owner';
