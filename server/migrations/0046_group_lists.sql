-- What lists of groups are made of.
create view groups_listed as
  select id, sort_name, org_id, search_words from groups where deleted_at is null;

create view group_changes as
  select id, updated_at, version, deleted_at is not null as is_gone from groups;

-- A group as it is told, in lists and alone.
create view group_summaries as
  select g.id, g.name, g.description, g.org_id, o.name as org_name, g.member_count, g.owner_count,
    array(select r.role from group_roles r where r.group_id = g.id order by r.role) as roles,
    g.version, g.created_at, g.updated_at, g.last_modified, g.deleted_at
  from groups g left join orgs o on o.id = g.org_id;

-- What of a person's groups is theirs: whether they are a member, an owner, or both.
create view parts_in_groups as
  select user_id, group_id, true as is_member, false as is_owner from group_members
  union all
  select user_id, group_id, false, true from group_owners;

-- What a person is in a group; neither where they are nothing there.
create function part_in_group(person text, group_id text) returns table (is_member boolean, is_owner boolean)
  language sql stable as $$
  select coalesce(bool_or(p.is_member), false), coalesce(bool_or(p.is_owner), false) from parts_in_groups p
  where p.user_id = $1 and p.group_id = $2
$$;

-- What became of the groups of a person: those that they see, deleted or not, and those that they do not see any more.
create view group_changes_of_users as
  select p.user_id, g.id, g.updated_at as changed_at, g.version as changed_version, g.deleted_at is not null as is_gone,
    p.is_member, p.is_owner
  from parts_in_groups p join groups g on g.id = p.group_id
  union all
  select user_id, group_id, left_at, version, true, false, false from group_departures;
