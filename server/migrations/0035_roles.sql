-- The groups that carry roles, with their names.
create view role_groups as
  select r.role, g.id as group_id, g.name, g.sort_name
  from group_roles r join groups g on g.id = r.group_id and g.deleted_at is null;

-- People as the members of a role are told.
create view role_people as
  select id, display_name, username, email, disabled_at is not null as disabled, sort_name,
    coalesce(display_name, username, email, id) as name
  from users where deleted_at is null;

-- How many people have a role, counted up to a limit: each source is read no further than that.
create function count_role_members(role text, up_to integer) returns integer language sql stable as $$
  select count(*)::integer from (
    (select user_id from role_members m where m.role = $1 order by user_id limit $2)
    union
    select m.user_id from group_roles r
    join groups g on g.id = r.group_id and g.deleted_at is null
    cross join lateral (
      select user_id from group_members where group_id = g.id order by user_id limit $2
    ) m
    where r.role = $1
    limit $2
  ) people
$$;

-- Whether a person has a role, looked up for them alone.
create function has_role(person text, role text) returns boolean language sql stable as $$
  select coalesce(
    (select true from role_members m where m.user_id = $1 and m.role = $2),
    (
      select true from group_members m
      join group_roles r on r.group_id = m.group_id and r.role = $2
      join groups g on g.id = m.group_id and g.deleted_at is null
      where m.user_id = $1 limit 1
    ),
    false
  )
$$;

-- The people who have a role, by name, after a place in that order; with words, those who are called so. Few are looked
-- up and sorted; of many the next ones are found soon by walking through everybody.
create function role_members_after(
  role text, after_name text, after_id text, up_to integer, are_many boolean, words text
) returns table (id text, sort_name text) language plpgsql stable as $$
begin
  if words is not null then
    return query
      select u.id, u.sort_name from users u
      where u.deleted_at is null and u.search_words @@ to_tsquery('simple', words) and has_role(u.id, $1)
        and (u.sort_name, u.id) > (after_name collate "C", after_id)
      order by u.sort_name, u.id limit up_to;
  elsif are_many then
    return query
      select u.id, u.sort_name from users u
      where u.deleted_at is null and (u.sort_name, u.id) > (after_name collate "C", after_id)
        and has_role(u.id, $1)
      order by u.sort_name, u.id limit up_to;
  else
    return query
      select u.id, u.sort_name from effective_roles e join users u on u.id = e.user_id
      where e.role = $1 and u.deleted_at is null and (u.sort_name, u.id) > (after_name collate "C", after_id)
      order by u.sort_name, u.id limit up_to;
  end if;
end $$;
