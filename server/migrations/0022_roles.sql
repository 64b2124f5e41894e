alter table role_members add column granted_by text;

-- Each role of each person with what gives it: nothing but themselves, or a group of which they are a member.
create view role_sources as
  select user_id, role, null::text as group_id, granted_at as since from role_members
  union all
  select m.user_id, r.role, r.group_id, greatest(r.granted_at, m.added_at)
  from group_roles r
  join groups g on g.id = r.group_id and g.deleted_at is null
  join group_members m on m.group_id = r.group_id;

-- The one place that says which roles a person has, for guards, tokens and the console alike.
create or replace view effective_roles as
  select distinct user_id, role from role_sources;

-- What people may do as things stand.
create view roles_of_enabled as
  select r.user_id, r.role from effective_roles r join users u on u.id = r.user_id
  where u.disabled_at is null and u.deleted_at is null;

-- Those who can run the console: without one of them nobody could. Whoever lost their last way in cannot.
create view administrators as
  select u.id as user_id from users u
  where u.disabled_at is null and u.deleted_at is null and exists (select from logins l where l.user_id = u.id)
    and exists (select from role_sources s where s.user_id = u.id and s.role = 'Passport.Admin');
