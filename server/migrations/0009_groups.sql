-- A group of users, managed by its owners.
create table groups (
  id text primary key,
  name text not null,
  description text not null default '',
  -- Null for a group of the installation.
  org_id text references orgs (id) on delete set null,
  member_count integer not null default 0,
  owner_count integer not null default 0,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  -- Of the last change of the group, its members, its owners or its roles.
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  sort_name text collate "C" not null generated always as (plain_text(name)) stored,
  search_words tsvector not null generated always as (words_of(name || ' ' || description)) stored,
  -- In whole seconds, the precision of HTTP. It is later than the change, and differs for each change.
  last_modified timestamptz(0) not null default date_trunc('second', now()) + interval '1 second',
  -- The groups of SCIM clients may have equal names, as at the tenant. Any other name is unique in the organisation.
  shares_name boolean not null default false
);

create index groups_by_name on groups (sort_name, id) where deleted_at is null;
create index groups_by_update on groups (updated_at, id);
create index groups_by_org on groups (org_id, sort_name, id) where deleted_at is null;
create index groups_deleted on groups (deleted_at, id) where deleted_at is not null;
create index groups_by_members on groups (member_count, id) where deleted_at is null;
create index groups_listed_by_update on groups (updated_at, id) where deleted_at is null;
create unique index groups_name on groups (coalesce(org_id, ''), lower(name)) where deleted_at is null and not shares_name;
create index groups_shared_name on groups (coalesce(org_id, ''), lower(name)) where deleted_at is null and shares_name;

-- A member of a group.
create table group_members (
  group_id text not null references groups (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  added_at timestamptz(3) not null default now(),
  -- A user id; null if the system added the member.
  added_by text,
  primary key (group_id, user_id)
);

create index group_members_user on group_members (user_id, group_id);
create index group_members_by_time on group_members (group_id, added_at, user_id);

-- An owner of a group, who manages it and need not be a member.
create table group_owners (
  group_id text not null references groups (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  added_at timestamptz(3) not null default now(),
  -- A user id; null if the system added the owner.
  added_by text,
  primary key (group_id, user_id)
);

create index group_owners_user on group_owners (user_id, group_id);
create index group_owners_by_time on group_owners (group_id, added_at, user_id);

-- A tombstone: a group that still exists, and that the user may no longer see.
create table group_tombstones (
  user_id text not null references users (id) on delete cascade,
  group_id text not null references groups (id) on delete cascade,
  -- Of the group, with the change that removed the user.
  version bigint not null,
  left_at timestamptz(3) not null default change_time(),
  primary key (user_id, group_id)
);

create index group_tombstones_by_time on group_tombstones (user_id, left_at, group_id);
create index group_tombstones_group on group_tombstones (group_id);
create index group_tombstones_swept on group_tombstones (left_at);

-- A word by which a group is found, with the same columns as in `user_words`.
create table group_words (
  group_id text not null references groups (id) on delete cascade,
  word text collate "C" not null,
  sort_name text collate "C" not null,
  words text collate "C"
);

create index group_words_by_word on group_words (word, sort_name, group_id) include (words);
create index group_words_group on group_words (group_id);

-- Returns the rows of `group_words` for a group; none for a deleted group.
create function words_of_group(g groups) returns setof group_words language sql stable
begin atomic
  select distinct g.id, left(word, 64), left(g.sort_name, 300), case when length(all_words) <= 250 then ' ' || all_words end
  from unnest(tsvector_to_array(g.search_words)) word, array_to_string(tsvector_to_array(g.search_words), ' ') all_words
  where g.deleted_at is null;
end;

-- Returns the words with the prefix `beginning` of the groups that also have a word with each of the prefixes `others`.
create function group_words_matching(beginning text, others text[]) returns setof group_words language sql stable
begin atomic
  select w.* from group_words w
  where beginning <> '' and w.word >= left(beginning, 64) collate "C" and w.word < left(beginning, 64) || chr(1114109)
    and (others = '{}' or (
      select bool_and(coalesce(position(' ' || left(o, 64) in w.words) > 0, exists (
        select from group_words x where x.group_id = w.group_id and x.word >= left(o, 64) collate "C" and x.word < left(o, 64) || chr(1114109))))
      from unnest(others) o));
end;

-- Returns the groups that have words with all these prefixes, each once: of several matching words the first one counts.
create function groups_by_words(beginning text, others text[]) returns table (group_id text, sort_name text)
  language sql stable
begin atomic
  select w.group_id, w.sort_name from group_words_matching(beginning, others) w
  -- An inequality: the planner expects it to match a third of the rows, and an equality one in 200.
  where coalesce(position(' ' || left(beginning, 64) in w.words) >= position(' ' || w.word || ' ' in w.words || ' '), not exists (
    select from group_words x where x.group_id = w.group_id and x.word >= left(beginning, 64) collate "C" and x.word < w.word));
end;

-- Writes the rows of `group_words` for new groups.
create function add_group_words() returns trigger language plpgsql set search_path from current as $$
begin
  insert into group_words select w.* from added g cross join lateral words_of_group(g) w;
  return null;
end $$;

-- Rewrites the rows of `group_words` for a changed group.
create function replace_group_words() returns trigger language plpgsql set search_path from current as $$
begin
  delete from group_words where group_id = old.id;
  insert into group_words select * from words_of_group(new);
  return null;
end $$;

-- Sets the times of a change, in an order that no reader can overtake (docs/decisions/0020-changes-of-groups.md). A bulk load
-- sets `passport.bulk_load` for its transaction: its rows keep the times and versions that they have. To disable the triggers
-- instead would lock the tables against every request.
create function time_group_change() returns trigger language plpgsql set search_path from current as $$
begin
  if current_setting('passport.bulk_load', true) = 'on' then
    return new;
  end if;
  new.updated_at := greatest(change_time(), old.updated_at);
  new.last_modified := greatest(date_trunc('second', new.updated_at), old.last_modified) + interval '1 second';
  return new;
end $$;

-- Groups that are not deleted, with the columns by which lists of them are sorted.
create view groups_listed as
  select id, sort_name, org_id, search_words, member_count, updated_at from groups where deleted_at is null;

-- The last change of every group.
create view group_changes as
  select id, updated_at as changed_at, version as changed_version, deleted_at is not null as is_gone from groups;

-- The parts of users in groups. A user who is member and owner of a group has two rows.
create view parts_in_groups as
  select user_id, group_id, true as is_member, false as is_owner from group_members
  union all
  select user_id, group_id, false, true from group_owners;

-- Returns the part of a user in a group: one row, with false twice for a user without a part.
create function part_in_group(person text, group_id text) returns table (is_member boolean, is_owner boolean)
  language sql stable
begin atomic
  select coalesce(bool_or(p.is_member), false), coalesce(bool_or(p.is_owner), false) from parts_in_groups p
  where p.user_id = $1 and p.group_id = $2;
end;

-- The last change of each group that a user sees, deleted or not, and the tombstones of those that they no longer see.
create view group_changes_of_users as
  select p.user_id, g.id, g.updated_at as changed_at, g.version as changed_version, g.deleted_at is not null as is_gone,
    p.is_member, p.is_owner
  from parts_in_groups p join groups g on g.id = p.group_id
  union all
  select user_id, group_id, left_at, version, true, false, false from group_tombstones;

-- The owners of groups, like `named_members`.
create view named_owners as
  select o.group_id, o.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, o.added_at,
    u.search_words, (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from group_owners o join users u on u.id = o.user_id;

create trigger groups_timed before insert or update on groups for each row execute function time_group_change();
create trigger groups_words_added after insert on groups
  referencing new table as added for each statement execute function add_group_words();
create trigger groups_words_changed after update on groups for each row
  when (
    old.search_words is distinct from new.search_words or old.sort_name is distinct from new.sort_name
    or (old.deleted_at is null) is distinct from (new.deleted_at is null) or old.id is distinct from new.id)
  execute function replace_group_words();
