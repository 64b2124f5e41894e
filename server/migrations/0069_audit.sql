-- Which roles an event is about: those that it is of, and those that somebody or a group got or lost by it. What happened
-- to a role is read from here in the order of time, however much else there is.
create table audit_roles (
  event_id text not null references audit_events (id) on delete cascade,
  role text not null,
  at timestamptz(3) not null,
  primary key (event_id, role)
);
create index audit_roles_by_role on audit_roles (role, at, event_id);

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

insert into audit_roles (event_id, role, at)
select e.id, r, e.at from audit_events e cross join lateral roles_of_event(e) as r
where e.target_kind = 'role' or e.action in ('role.granted', 'role.taken', 'group.roles-changed');

create function note_roles_of_event() returns trigger language plpgsql as $$
begin
  insert into audit_roles (event_id, role, at) select new.id, r, new.at from roles_of_event(new) as r;
  return null;
end $$;

create trigger audit_events_of_roles after insert on audit_events for each row
  when (new.target_kind = 'role' or new.action in ('role.granted', 'role.taken', 'group.roles-changed'))
  execute function note_roles_of_event();
