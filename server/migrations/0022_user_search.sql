-- The sources of the conditions of a user search.

-- Users who are not deleted.
create view listed_users as
  select id, username, email, sort_name, search_words, created_at, activated_at, last_sign_in_at, disabled_at
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
