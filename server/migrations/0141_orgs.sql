-- The organisations that users own, both not deleted. A change that adds a row, or makes one active, gives the ownership.
create view org_ownerships as
  select m.user_id, m.org_id, u.disabled_at is null as is_active
  from org_members m
  join orgs o on o.id = m.org_id and o.deleted_at is null
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.role = 'owner';
