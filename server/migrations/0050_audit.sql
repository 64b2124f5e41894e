drop index audit_events_target;
create index audit_events_by_time on audit_events (at, id);
create index audit_events_by_target on audit_events (target_kind, target_id, at, id);
create index audit_events_by_actor on audit_events (actor_id, at, id);
create index audit_events_by_action on audit_events (action, at, id);
-- What an action is about: `group` of `group.created`.
create index audit_events_by_subject on audit_events (split_part(action, '.', 1), at, id);
-- What people read to support from the page of a failed sign-in is the start of the trace.
create index audit_events_by_support_code on audit_events (left(trace_id, 8));

-- One row: for how long events are kept.
create table audit_retention (
  is_only boolean primary key default true check (is_only),
  days integer not null default 365 check (days >= 365)
);
insert into audit_retention default values;

-- Events with what people call those who acted and what it was done to, as far as it is still there.
create view audit_entries as
  select e.*,
    (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'role' then e.target_id
    end as target_name
  from audit_events e;

-- As before, with an id that sorts by time as those of all others do (UUIDv7).
create or replace function purge_audit_events(older_than_days integer) returns bigint language plpgsql as $$
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
      overlay(gen_random_uuid()::text placing left(milliseconds, 8) || '-' || right(milliseconds, 4) || '-7' from 1 for 15),
      'audit.purged', 'audit', jsonb_build_object('events', purged, 'olderThanDays', older_than_days)
    );
  end if;
  return purged;
end $$;
