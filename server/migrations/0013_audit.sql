-- An event of the audit trail. Ids are UUIDv7.
create table audit_events (
  id text primary key,
  at timestamptz(3) not null default now(),
  -- The actor: a user id, or `client:` and the id of a client; null for anonymous callers and for the system.
  actor_id text,
  action text not null,
  -- What the action changed: a kind such as `user`, and an id of that kind.
  target_kind text not null,
  target_id text,
  before jsonb,
  after jsonb,
  reason text,
  ip text,
  user_agent text,
  trace_id text
);

create index audit_events_trace on audit_events (trace_id);
create index audit_events_by_time on audit_events (at, id);
create index audit_events_by_target on audit_events (target_kind, target_id, at, id);
create index audit_events_by_actor on audit_events (actor_id, at, id);
create index audit_events_by_action on audit_events (action, at, id);
-- By the subject of the action: `group` of `group.created`.
create index audit_events_by_subject on audit_events (split_part(action, '.', 1), at, id);
-- By the support code on the page of a failed sign-in: the start of the trace id.
create index audit_events_by_support_code on audit_events (left(trace_id, 8));

-- A role that an event concerns. The events of a role are read from here in the order of time.
create table audit_roles (
  event_id text not null references audit_events (id) on delete cascade,
  role text not null,
  at timestamptz(3) not null,
  primary key (event_id, role)
);

create index audit_roles_by_role on audit_roles (role, at, event_id);

-- One row: how long events are kept.
create table audit_retention (
  is_only boolean primary key default true check (is_only),
  days integer not null default 365 check (days >= 365)
);
insert into audit_retention default values;

-- Permits deletions by `purge_audit_events` only.
create function reject_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('passport.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit_events is append-only';
end $$;

-- Deletes events older than this many days, the only way to delete one. Records the deletion in an event of its own, and
-- returns the number of deleted events.
create function purge_audit_events(older_than_days integer) returns bigint language plpgsql as $$
declare
  purged bigint;
  milliseconds text := lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0');
begin
  if older_than_days < 365 then
    raise exception 'audit events are kept for at least 365 days';
  end if;
  perform set_config('passport.audit_retention', 'on', true);
  delete from audit_events where at < now() - make_interval(days => older_than_days);
  get diagnostics purged = row_count;
  perform set_config('passport.audit_retention', 'off', true);
  if purged > 0 then
    insert into audit_events (id, action, target_kind, after)
    values (
      -- A UUIDv7, which sorts by time like the ids of other events.
      overlay(gen_random_uuid()::text placing left(milliseconds, 8) || '-' || right(milliseconds, 4) || '-7' from 1 for 15),
      'audit.purged', 'audit', jsonb_build_object('events', purged, 'olderThanDays', older_than_days)
    );
  end if;
  return purged;
end $$;

-- Returns the roles that an event concerns: its target, and the roles that a user or a group got or lost.
create function roles_of_event(e audit_events) returns setof text language sql immutable as $$
  select e.target_id where e.target_kind = 'role' and e.target_id is not null
  union
  select coalesce(e.after ->> 'role', e.before ->> 'role')
  where e.action in ('role.granted', 'role.taken') and coalesce(e.after ->> 'role', e.before ->> 'role') is not null
  union
  select role from (
    select jsonb_array_elements_text(e.before -> 'roles') as role
    union all
    select jsonb_array_elements_text(e.after -> 'roles')) as had
  where e.action = 'group.roles-changed'
  group by role having count(*) = 1
$$;

-- Writes the rows of `audit_roles` for a new event.
create function record_event_roles() returns trigger language plpgsql as $$
begin
  insert into audit_roles (event_id, role, at) select new.id, r, new.at from roles_of_event(new) as r;
  return null;
end $$;

-- Events with the names of actor and target; null for one that no longer exists.
create view audit_entries as
  select e.*,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id),
      (select c.name from clients c where e.actor_id = 'client:' || c.client_id)
    ) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'role' then e.target_id
    end as target_name
  from audit_events e;

-- The names of users, organisations and groups by id, which is unique among all of them.
create view record_names as
  select id, coalesce(display_name, username, email) as name from users
  union all select id, name from orgs
  union all select id, name from groups;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function reject_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function reject_audit_change();
create trigger audit_events_of_roles after insert on audit_events for each row
  when (new.target_kind = 'role' or new.action in ('role.granted', 'role.taken', 'group.roles-changed'))
  execute function record_event_roles();
