-- Where people are looked for, by what they are, and by what other rooms know of them.
create view listed_users as
  select id, username, email, sort_name, search_words, created_at, activated_at, last_sign_in_at, disabled_at
  from users where deleted_at is null;
create view people_with_role as
  select user_id, role from role_sources;
-- The two kinds of reasons for a role apart, each to be read in the order of an index.
create view people_with_role_of_themselves as
  select user_id, role from role_members;
create view people_with_role_by_group as
  select m.user_id, r.role, r.group_id
  from group_roles r join groups g on g.id = r.group_id and g.deleted_at is null
  join group_members m on m.group_id = r.group_id;
create view people_of_org as
  select user_id, org_id from org_members;
create view people_of_provider as
  select user_id, provider_id, subject from logins;
-- Some people who have words, by the index of words alone: for a beginning that many words have, the planner would read
-- everyone.
create function people_with_words(tsquery) returns setof text language sql stable
  set enable_seqscan = off as
  $$ select id from users where deleted_at is null and search_words @@ $1 limit 10001 $$;
