-- A username that a user gave up. Other users cannot take it for some time, so that they are not mistaken for the user.
create table released_usernames (
  -- Null once the user is purged: the name stays reserved for its time.
  user_id text references users (id) on delete set null,
  username text not null,
  released_at timestamptz(3) not null default now()
);

create index released_usernames_by_name on released_usernames (lower(username), released_at);
create index released_usernames_by_user on released_usernames (user_id, released_at);
create index released_usernames_by_time on released_usernames (released_at);

-- What acquaintances may see of a user.
create view profiles as
  select id, username, display_name, email, disabled_at, created_at, updated_at, version, sort_name, search_words
  from users where deleted_at is null;

-- Pairs of users who share an organisation or a group. Contains the user themselves, and repeats pairs that share several.
create view acquaintances as
  select a.user_id, b.user_id as other_id
  from org_members a join orgs o on o.id = a.org_id and o.deleted_at is null join org_members b on b.org_id = a.org_id
  union all
  select a.user_id, b.user_id
  from (select group_id, user_id from group_members union all select group_id, user_id from group_owners) a
  join groups g on g.id = a.group_id and g.deleted_at is null
  join (select group_id, user_id from group_members union all select group_id, user_id from group_owners) b
    on b.group_id = a.group_id;
