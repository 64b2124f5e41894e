-- A picture at the size of lists, as PNG. Null for models, and for pictures that were stored before this column.
alter table avatar_files add column small bytea;
alter table avatar_files alter column small set storage external;

-- The pictures of users wherever users are listed.
create or replace view named_members as
  select m.group_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, m.added_at,
    u.search_words, (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from group_members m join users u on u.id = m.user_id;

create or replace view named_owners as
  select o.group_id, o.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, o.added_at,
    u.search_words, (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from group_owners o join users u on u.id = o.user_id;

create or replace view org_people as
  select m.org_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as name, u.username, m.role,
    m.rank, m.added_at as since, u.search_words,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from org_members m join users u on u.id = m.user_id;

create or replace view role_people as
  select id, display_name, username, email, disabled_at is not null as disabled, sort_name,
    coalesce(display_name, username, email, id) as name,
    case when disabled_at is not null then 'disabled' when activated_at is null then 'invited' else 'active' end as status,
    (select a.png_hash from avatars a where a.user_id = users.id) as picture_hash
  from users where deleted_at is null;

create or replace view record_names as
  select id, coalesce(display_name, username, email) as name,
    (select a.png_hash from avatars a where a.user_id = users.id) as picture_hash
  from users
  union all select id, name, null from orgs
  union all select id, name, null from groups;
