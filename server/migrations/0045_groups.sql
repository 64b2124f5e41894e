-- Changes of groups, told in an order that no reader can overtake (docs/decisions/0020-changes-of-groups.md).

-- The moment of a change. The transaction shows itself before the clock is read: whoever does not see it then has an earlier clock.
create function change_time() returns timestamptz language plpgsql volatile as $$
begin
  perform pg_current_xact_id();
  return date_trunc('milliseconds', clock_timestamp());
end $$;

-- Every change before this moment is committed or undone, for statements that begin after this one. To be asked alone, in
-- a transaction of its own. A writer whose start this role may not see has at most ten seconds.
create function settled_before() returns timestamptz language sql volatile as $$
  select date_trunc('milliseconds', least(now(), min(
    case when state is null or state = 'disabled' then now() - interval '10 seconds' else xact_start end)))
  from pg_stat_activity
  where datname = current_database() and backend_xid is not null and backend_type is distinct from 'autovacuum worker'
$$;

alter table groups
  -- In whole seconds, later than the change, and another one for each change: what HTTP can tell apart.
  add column last_modified timestamptz(0) not null default date_trunc('second', now()) + interval '1 second';

-- Whoever writes: no statement can forget it.
create function time_group_change() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(change_time(), old.updated_at);
  new.last_modified := greatest(date_trunc('second', new.updated_at), old.last_modified) + interval '1 second';
  return new;
end $$;

create trigger groups_timed before insert or update on groups for each row execute function time_group_change();

-- A role with another name is another entity for whoever kept the group.
create function note_role_renamed() returns trigger language plpgsql as $$
begin
  update groups set version = version + 1 where id = new.group_id;
  return null;
end $$;

create trigger group_roles_renamed after update of role on group_roles for each row execute function note_role_renamed();

-- People to whom a group is gone that is still there, until they see it again.
create table group_departures (
  user_id text not null references users (id) on delete cascade,
  group_id text not null references groups (id) on delete cascade,
  version bigint not null,
  left_at timestamptz(3) not null default change_time(),
  primary key (user_id, group_id)
);

create index group_departures_by_time on group_departures (user_id, left_at, group_id);
create index group_departures_group on group_departures (group_id);
create index group_departures_swept on group_departures (left_at);

create index group_members_by_time on group_members (group_id, added_at, user_id);
create index group_owners_by_time on group_owners (group_id, added_at, user_id);
