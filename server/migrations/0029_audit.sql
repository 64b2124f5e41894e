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
  trace_id text,
  -- The support code of a request, as the first 8 digits of an id that the server has drawn: a caller can choose the trace id,
  -- and so what its start finds. Null if it has drawn none: the code is the start of the trace id then.
  support_code text
);

create index audit_events_trace on audit_events (trace_id);
create index audit_events_by_time on audit_events (at, id);
create index audit_events_by_target on audit_events (target_kind, target_id, at, id);
create index audit_events_by_actor on audit_events (actor_id, at, id);
create index audit_events_by_action on audit_events (action, at, id);
-- By the subject of the action: `group` of `group.created`.
create index audit_events_by_subject on audit_events (split_part(action, '.', 1), at, id);
-- The failed sign-ins of a domain.
create index audit_events_by_failed_domain on audit_events ((after ->> 'domain'), at, id)
  where action in ('signin.failed', 'directory.password-refused', 'directory.locked');
-- The sign-in log, of which most filters select a small part.
create index audit_events_of_sign_ins on audit_events (at, id)
  where action in ('signin.succeeded', 'signin.failed', 'directory.password-refused', 'directory.locked');
create index audit_events_by_support_code on audit_events (coalesce(support_code, left(trace_id, 8)));

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
create function reject_audit_change() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' and current_setting('passport.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit_events is append-only';
end $$;

-- Deletes events older than this many days, the only way to delete one. Records the deletion in an event of its own, and
-- returns the number of deleted events.
create function purge_audit_events(older_than_days integer) returns bigint language plpgsql set search_path from current as $$
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
create function roles_of_event(e audit_events) returns setof text language sql immutable
begin atomic
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
  group by role having count(*) = 1;
end;

-- Writes the rows of `audit_roles` for a new event.
create function record_event_roles() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_roles (event_id, role, at) select new.id, r, new.at from roles_of_event(new) as r;
  return null;
end $$;

-- The names of the records that audit events mention, by their ids, which are unique among all of them. The id of a tenant as
-- an identity provider has a prefix.
create view record_names as
  select id, coalesce(display_name, username, email) as name,
    (select a.png_hash from avatars a where a.user_id = users.id) as picture_hash
  from users
  union all select id, name, null from orgs
  union all select id, name, null from groups
  union all select 'entra:' || c.tenant_id, o.name, null from entra_connections c join orgs o on o.id = c.org_id;

-- The SCIM clients of an organisation act as `scim:` and the id of the organisation.
create view audit_entries as
  select e.*,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id),
      (select c.name from clients c where e.actor_id = 'client:' || c.client_id),
      (select o.name || ' (SCIM)' from orgs o where e.actor_id = 'scim:' || o.id),
      case when e.actor_id like 'setup:%' then 'A set-up link' end
    ) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'identity-api' then (select a.display_name from identity_apis a where a.id = e.target_id)
      when 'aws-product' then (select p.name from aws_products p where p.id = e.target_id)
      when 'aws-subscription' then (select p.name || ' for account ' || s.customer_aws_account_id
        from aws_subscriptions s join aws_products p on p.id = s.product_id where s.id = e.target_id)
      when 'entitlement' then (select n.name from entitlements n where n.id = e.target_id)
      when 'role' then e.target_id
      when 'content' then content_name(split_part(e.target_id, '/', 1), split_part(e.target_id, '/', 2))
    end as target_name
  from audit_events e;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function reject_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function reject_audit_change();
create trigger audit_events_of_roles after insert on audit_events for each row
  when (new.target_kind = 'role' or new.action in ('role.granted', 'role.taken', 'group.roles-changed'))
  execute function record_event_roles();
create trigger audit_events_actor after insert on audit_events
  for each row when (new.actor_id is not null) execute function set_commit_actor();
