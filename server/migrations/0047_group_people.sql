-- The people of groups by the names that everyone in a group may know.
create view named_members as
  select m.group_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, m.added_at, u.search_words
  from group_members m join users u on u.id = m.user_id;

create view named_owners as
  select o.group_id, o.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, o.added_at, u.search_words
  from group_owners o join users u on u.id = o.user_id;
