-- A role, such as `Passport.Admin`.
create table roles (
  name text primary key,
  description text not null,
  -- A built-in role cannot be deleted.
  built_in boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1
);

insert into roles (name, description, built_in) values
  ('Passport.Admin', 'Runs the console: people, organisations, access and the marketplace.', true),
  ('Passport.Developer', 'Makes tokens and tries sign-in flows in the developer area.', true);

-- A role of a user, granted directly.
create table role_members (
  role text not null references roles (name),
  user_id text not null references users (id) on delete cascade,
  granted_at timestamptz(3) not null default now(),
  -- A user id; null if the system granted the role.
  granted_by text,
  primary key (user_id, role)
);

create index role_members_role on role_members (role, user_id);
-- By the id of the role as an object of permissions: object ids have no dots, and role names no slashes.
create index role_members_by_object on role_members (translate(role, '.', '/'), user_id);

-- A role of a group, which all its members have.
create table group_roles (
  group_id text not null references groups (id) on delete cascade,
  role text not null references roles (name) on update cascade,
  granted_at timestamptz(3) not null default now(),
  -- A user id; null if the system granted the role.
  granted_by text,
  primary key (group_id, role)
);

create index group_roles_role on group_roles (role, group_id);
create index group_roles_by_object on group_roles (translate(role, '.', '/'), group_id);

-- When a user last became an administrator, or ceased to be one. They see other records since then.
create table administration_changes (
  user_id text primary key references users (id) on delete cascade,
  changed_at timestamptz(3) not null
);

-- Increments the version of the group whose role was renamed.
create function record_role_rename() returns trigger language plpgsql set search_path from current as $$
begin
  update groups set version = version + 1 where id = new.group_id;
  return null;
end $$;

-- Returns the number of users with a role: counted up to a limit, estimated beyond. Most roles of many groups reach the
-- limit with the first of these groups. All groups are read only if too many of the first rows are the same users.
create function count_role_members(role text, up_to integer) returns integer
  language plpgsql volatile set search_path from current as $$
#variable_conflict use_column
declare
  row_limit integer := up_to + up_to / 2;
  people bigint;
  rows_read bigint;
begin
  loop
    select count(distinct user_id), count(*) into people, rows_read from (
      (select user_id from role_members m where m.role = $1 order by user_id limit up_to)
      union all
      (
        select m.user_id from group_roles r
        join groups g on g.id = r.group_id and g.deleted_at is null
        cross join lateral (
          select user_id from group_members where group_id = g.id order by user_id limit up_to
        ) m
        where r.role = $1
        limit row_limit
      )
    ) members;
    exit when people >= up_to or row_limit is null or rows_read < row_limit;
    row_limit := null;
  end loop;
  return count_or_estimate(least(people, up_to), up_to - 1,
    'select from role_members m where m.role = $1[1]
     union all
     select from group_roles r join groups g on g.id = r.group_id and g.deleted_at is null
     join group_members m on m.group_id = r.group_id where r.role = $1[1]',
    array[$1]);
end $$;

-- Returns whether a user has a role, directly or by a group.
create function has_role(person text, role text) returns boolean language sql stable
begin atomic
  select coalesce(
    (select true from role_members m where m.user_id = $1 and m.role = $2),
    (
      select true from group_members m
      join group_roles r on r.group_id = m.group_id and r.role = $2
      join groups g on g.id = m.group_id and g.deleted_at is null
      where m.user_id = $1 limit 1
    ),
    false
  );
end;

-- Returns the users with a role after a place in the order of names. Few users are looked up and sorted; of many, the next
-- ones are found sooner by a scan of all users in that order.
create function role_members_after(
  role text, after_name text, after_id text, up_to integer, are_many boolean
) returns table (id text, sort_name text) language plpgsql stable set search_path from current as $$
begin
  if are_many then
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

-- Each role of each user with its source: a group of which they are a member, or null for a direct grant.
create view role_sources as
  select user_id, role, null::text as group_id, granted_at as since from role_members
  union all
  select m.user_id, r.role, r.group_id, greatest(r.granted_at, m.added_at)
  from group_roles r
  join groups g on g.id = r.group_id and g.deleted_at is null
  join group_members m on m.group_id = r.group_id;

-- The roles of each user. Guards, tokens and the console all read them from here.
create view effective_roles as
  select distinct user_id, role from role_sources;

-- The roles of users who can sign in.
create view roles_of_enabled as
  select r.user_id, r.role from effective_roles r join users u on u.id = r.user_id
  where u.disabled_at is null and u.deleted_at is null;

-- The users who can administer the console; one must remain. A user without a login cannot sign in.
create view administrators as
  select u.id as user_id from users u
  where u.disabled_at is null and u.deleted_at is null and exists (select from logins l where l.user_id = u.id)
    and exists (select from role_sources s where s.user_id = u.id and s.role = 'Passport.Admin');

-- The groups that have roles, with their names.
create view role_groups as
  select r.role, g.id as group_id, g.name, g.sort_name
  from group_roles r join groups g on g.id = r.group_id and g.deleted_at is null;

-- Users as they are listed among the members of a role, with the status that the list of users has.
create view role_people as
  select id, display_name, username, email, disabled_at is not null as disabled, sort_name,
    coalesce(display_name, username, email, id) as name,
    case when disabled_at is not null then 'disabled' when activated_at is null then 'invited' else 'active' end as status,
    (select a.png_hash from avatars a where a.user_id = users.id) as picture_hash
  from users where deleted_at is null;

-- What users may do by a role: use it, or decide who is in a group with it. A change that adds a row, or makes one active,
-- gives a role. Deleted users have none. A role or an ownership by a group in the trash is a row too, because a restore of the
-- group gives it back. A user who has a power in several ways has it as far as the best of them.
create view role_powers as
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

-- Clients that store a copy of a group compare its version, and the group contains the names of its roles.
create trigger group_roles_renamed after update of role on group_roles for each row execute function record_role_rename();
