-- An entitlement: a flag or a quantity that organisations are granted. Applications identify it by its key.
create table entitlements (
  id text primary key,
  -- A deleted entitlement keeps its key until the purge.
  key text not null unique,
  name text not null,
  description text not null default '',
  kind text not null check (kind in ('flag', 'quantity')),
  -- The unit of a quantity, such as seats; null for a flag.
  unit text check (unit is null or kind = 'quantity'),
  -- A disabled entitlement counts nothing.
  enabled boolean not null default true,
  -- The actor of the last change, for the ledger; null for the system.
  changed_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  version integer not null default 1,
  sort_name text collate "C" not null generated always as (plain_text(name)) stored,
  search_words tsvector not null generated always as (words_of(name || ' ' || key)) stored
);

create index entitlements_deleted on entitlements (deleted_at, id) where deleted_at is not null;

-- A grant of an entitlement to an organisation, from `starts_at` until before `ends_at`. Ended grants are kept.
create table entitlement_grants (
  id text primary key,
  entitlement_id text not null references entitlements (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  -- Null for a flag.
  quantity integer check (quantity >= 0),
  starts_at timestamptz(3) not null,
  -- Null for no end.
  ends_at timestamptz(3),
  source text not null check (source in ('manual', 'aws')),
  -- The subscription of a marketplace that the grant follows.
  subscription_id text check ((source = 'aws') = (subscription_id is not null)),
  note text not null default '',
  -- The actor of the last change, for the ledger; null for the system.
  changed_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);

create index entitlement_grants_entitlement on entitlement_grants (entitlement_id, starts_at, id);
create index entitlement_grants_org on entitlement_grants (org_id, entitlement_id);
create index entitlement_grants_subscription on entitlement_grants (subscription_id) where subscription_id is not null;

-- An entry for each change of an entitlement or a grant, with its state after the change. Triggers write it, so that it
-- always agrees with the tables; it refers to nothing, so that it outlives what it names.
create table entitlement_ledger (
  sequence bigint primary key generated always as identity,
  recorded_at timestamptz(3) not null,
  entitlement_id text not null,
  key text not null,
  kind text not null,
  -- Null for an entry about the entitlement itself.
  grant_id text,
  org_id text,
  action text not null,
  -- A user id, or `client:` and the id of a client; null for the system.
  actor_id text,
  source text,
  subscription_id text,
  quantity integer,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  -- Whether it counts: an entitlement while it is enabled and not deleted, a grant while its organisation is not deleted.
  is_active boolean not null
);

create index entitlement_ledger_entitlement on entitlement_ledger (entitlement_id, sequence);
create index entitlement_ledger_org on entitlement_ledger (org_id, sequence) where org_id is not null;
create index entitlement_ledger_grant on entitlement_ledger (grant_id, sequence) where grant_id is not null;
create index entitlement_ledger_subscription on entitlement_ledger (subscription_id, sequence)
  where subscription_id is not null;

-- The usage of an entitlement by an organisation in one hour, for one subscription of the organisation.
create table entitlement_usage (
  id text primary key,
  entitlement_id text not null references entitlements (id) on delete cascade,
  org_id text not null references orgs (id) on delete cascade,
  -- The beginning of the hour.
  hour timestamptz(3) not null,
  -- Chosen with the first report, and never changed; null if no subscription is billed for it.
  subscription_id text,
  quantity integer not null check (quantity >= 0),
  -- The number of reports that it adds up.
  reports integer not null default 1,
  -- The quantity is final from then on; null while the hour is open.
  closed_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  -- When a closed quantity was taken over into aws_usage; null until then, and for usage that nobody is billed for.
  metered_at timestamptz(3)
);

create unique index entitlement_usage_hour on entitlement_usage (entitlement_id, org_id, hour, coalesce(subscription_id, ''));
create index entitlement_usage_open on entitlement_usage (hour) where closed_at is null;
create index entitlement_usage_newest on entitlement_usage (hour, id);
create index entitlement_usage_of_entitlement on entitlement_usage (entitlement_id, hour, id);
-- For the quantity that an organisation has used, and for the purge of organisations.
create index entitlement_usage_of_org on entitlement_usage (org_id, entitlement_id, hour);
create index entitlement_usage_unmetered on entitlement_usage (hour, subscription_id, id)
  where closed_at is not null and metered_at is null and subscription_id is not null;
create index entitlement_usage_open_of_subscription on entitlement_usage (subscription_id)
  where closed_at is null and subscription_id is not null;

create function reject_ledger_change() returns trigger language plpgsql set search_path from current as $$
begin
  raise exception 'entitlement_ledger is append-only';
end $$;

-- Records a change of an entitlement that decides whether it counts.
create function record_entitlement() returns trigger language plpgsql set search_path from current as $$
declare
  is_active boolean := new.enabled and new.deleted_at is null;
begin
  insert into entitlement_ledger (recorded_at, entitlement_id, key, kind, action, actor_id, is_active)
  values (change_time(), new.id, new.key, new.kind,
    case
      when tg_op = 'INSERT' then 'created'
      when old.deleted_at is null and new.deleted_at is not null then 'deleted'
      when old.deleted_at is not null and new.deleted_at is null then 'restored'
      when new.enabled then 'enabled'
      else 'disabled'
    end,
    new.changed_by, is_active);
  return null;
end $$;

-- Records a new or changed grant. Locks the organisation, so that the entry agrees with a concurrent deletion.
create function record_grant() returns trigger language plpgsql set search_path from current as $$
declare
  is_active boolean := (select deleted_at is null from orgs where id = new.org_id for share);
begin
  insert into entitlement_ledger (recorded_at, entitlement_id, key, kind, grant_id, org_id, action, actor_id, source,
    subscription_id, quantity, starts_at, ends_at, is_active)
  select change_time(), e.id, e.key, e.kind, new.id, new.org_id,
    case
      when tg_op = 'INSERT' then 'granted'
      -- The end may be after the start of the transaction.
      when new.ends_at <= clock_timestamp() and (old.ends_at is null or old.ends_at > now()) then 'closed'
      else 'changed'
    end,
    new.changed_by, new.source, new.subscription_id, new.quantity, new.starts_at, new.ends_at, is_active
  from entitlements e where e.id = new.entitlement_id;
  return null;
end $$;

-- Records that the grants of an organisation no longer count, or count again.
create function record_grants_of_org() returns trigger language plpgsql set search_path from current as $$
begin
  insert into entitlement_ledger (recorded_at, entitlement_id, key, kind, grant_id, org_id, action, source,
    subscription_id, quantity, starts_at, ends_at, is_active)
  select change_time(), e.id, e.key, e.kind, g.id, g.org_id,
    case when new.deleted_at is null then 'org-restored' else 'org-deleted' end,
    g.source, g.subscription_id, g.quantity, g.starts_at, g.ends_at, new.deleted_at is null
  from entitlement_grants g join entitlements e on e.id = g.entitlement_id where g.org_id = new.id;
  return null;
end $$;

-- Returns the usage of an entitlement by an organisation in a period; null if none was reported.
create function used_quantity(of_entitlement text, of_org text, since timestamptz, until timestamptz) returns double precision
language sql stable
begin atomic
  select sum(quantity)::double precision from entitlement_usage
  where entitlement_id = of_entitlement and org_id = of_org and hour >= date_trunc('hour', since, 'UTC') and hour < until;
end;

-- The grants that count now.
create view counted_grants as
  select g.id as grant_id, g.entitlement_id, e.key, e.kind, g.org_id, g.quantity, g.starts_at, g.ends_at, g.source,
    g.subscription_id
  from entitlement_grants g
  join entitlements e on e.id = g.entitlement_id and e.enabled and e.deleted_at is null
  join orgs o on o.id = g.org_id and o.deleted_at is null
  where g.starts_at <= now() and (g.ends_at is null or g.ends_at > now());

-- The entries of the ledger, each with the time of the next one about the same entitlement or grant.
create view entitlement_versions as
  select l.*, lead(recorded_at, 1, 'infinity') over (partition by entitlement_id, org_id, grant_id order by sequence) as replaced_at
  from entitlement_ledger l;

-- Returns the grants that counted at a moment, by what the ledger had recorded then. For a moment to come, these are the
-- grants that will count unless they change.
create function grants_counted_at(moment timestamptz) returns table (
  grant_id text, entitlement_id text, key text, kind text, org_id text, quantity integer, starts_at timestamptz,
  ends_at timestamptz, source text, subscription_id text
) language sql stable
begin atomic
  select g.grant_id, g.entitlement_id, g.key, g.kind, g.org_id, g.quantity, g.starts_at, g.ends_at, g.source, g.subscription_id
  from entitlement_versions g
  join entitlement_versions e on e.entitlement_id = g.entitlement_id and e.org_id is null and e.grant_id is null and e.is_active
    and e.recorded_at <= moment and moment < e.replaced_at
  where g.grant_id is not null and g.is_active and g.recorded_at <= moment and moment < g.replaced_at
    and g.starts_at <= moment and (g.ends_at is null or moment < g.ends_at);
end;

-- Returns the grants as the ledger had recorded them at a moment.
create function grants_recorded_at(moment timestamptz) returns table (
  id text, entitlement_id text, org_id text, quantity integer, starts_at timestamptz, ends_at timestamptz, source text,
  subscription_id text
) language sql stable
begin atomic
  select grant_id, entitlement_id, org_id, quantity, starts_at, ends_at, source, subscription_id
  from entitlement_versions
  where grant_id is not null and is_active and recorded_at <= moment and moment < replaced_at;
end;

-- The organisations that can have grants.
create view entitled_orgs as
  select id, name, sort_name, member_count from orgs where deleted_at is null;

-- The organisations through which users have entitlements.
create view entitled_users as
  select m.user_id, m.org_id, o.name as org_name, o.sort_name as org_sort_name
  from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null;

-- Entitlements, found by the words of their name or by their key.
create view findable_entitlements as
  select id, name, key as detail, key as handle, sort_name, search_words from entitlements where deleted_at is null;

create view deleted_entitlements as
  select 'entitlement' as kind, id, name, key as detail, deleted_at from entitlements where deleted_at is not null;

-- The kinds of entitlements, for the grants.
create view entitlement_kinds as
  select id, kind from entitlements;

-- The grants that count in their period, with the organisations that have them.
create view valid_grants as
  select g.id as grant_id, g.entitlement_id, e.key, e.kind, g.org_id, g.quantity, g.starts_at, g.ends_at, g.source,
    g.subscription_id, o.name as org_name, o.sort_name as org_sort_name, o.member_count
  from entitlement_grants g
  join entitlements e on e.id = g.entitlement_id and e.enabled and e.deleted_at is null
  join orgs o on o.id = g.org_id and o.deleted_at is null;

-- The grants of organisations that are not deleted, as they are now.
create view current_grants as
  select g.id, g.entitlement_id, g.org_id, g.quantity, g.starts_at, g.ends_at, g.source, g.subscription_id
  from entitlement_grants g join orgs o on o.id = g.org_id and o.deleted_at is null;

-- What lists show of grants besides their state at a moment.
create view grant_details as
  select g.id, g.note, g.version, o.name as org_name, o.sort_name as org_sort_name
  from entitlement_grants g join orgs o on o.id = g.org_id and o.deleted_at is null;

create view entitlement_names as
  select id, name, unit, enabled from entitlements;

create view holding_orgs as
  select id as org_id, name as org_name, sort_name as org_sort_name from orgs where deleted_at is null;

-- The ledger with the names of actors and organisations, and the state of each grant before the entry.
create view ledger_entries as
  select l.*, o.name as org_name,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = l.actor_id),
      (select c.name from clients c where l.actor_id = 'client:' || c.client_id)
    ) as actor_name,
    (select jsonb_build_object('quantity', b.quantity, 'startsAt', format_instant(b.starts_at), 'endsAt', format_instant(b.ends_at))
      from entitlement_ledger b where b.grant_id = l.grant_id and b.sequence < l.sequence order by b.sequence desc limit 1) as before
  from entitlement_ledger l left join orgs o on o.id = l.org_id;

create trigger entitlement_ledger_append_only before update or delete on entitlement_ledger
  for each row execute function reject_ledger_change();
create trigger entitlement_ledger_never_truncated before truncate on entitlement_ledger
  for each statement execute function reject_ledger_change();

create trigger entitlement_added after insert on entitlements for each row execute function record_entitlement();
create trigger entitlement_changed after update on entitlements for each row
  when ((old.enabled, old.deleted_at is null) is distinct from (new.enabled, new.deleted_at is null))
  execute function record_entitlement();

create trigger entitlement_granted after insert on entitlement_grants for each row execute function record_grant();
create trigger entitlement_grant_changed after update on entitlement_grants for each row
  when ((old.quantity, old.starts_at, old.ends_at) is distinct from (new.quantity, new.starts_at, new.ends_at))
  execute function record_grant();

create trigger org_grants_recorded after update of deleted_at on orgs for each row
  when ((old.deleted_at is null) is distinct from (new.deleted_at is null))
  execute function record_grants_of_org();
