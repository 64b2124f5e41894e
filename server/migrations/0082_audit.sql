-- What the records of the directory are called, for whoever tells of many kinds at once.
create view record_names as
  select id, coalesce(display_name, username, email) as name from users
  union all select id, name from orgs
  union all select id, name from groups;
