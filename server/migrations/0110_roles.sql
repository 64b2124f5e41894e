-- What users may do by a role: use it, or decide who is in a group with it. A change that adds a row, or makes one active,
-- gives a role. Deleted users have none.
create view role_powers as
  select s.user_id, s.role, false as is_owner, u.disabled_at is null as is_active
  from role_sources s join users u on u.id = s.user_id and u.deleted_at is null
  union
  select o.user_id, r.role, true, u.disabled_at is null
  from group_roles r
  join groups g on g.id = r.group_id and g.deleted_at is null
  join group_owners o on o.group_id = g.id
  join users u on u.id = o.user_id and u.deleted_at is null;
