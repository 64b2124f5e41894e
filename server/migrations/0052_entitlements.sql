create index entitlement_ledger_grant on entitlement_ledger (grant_id, sequence) where grant_id is not null;

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

-- Returns the grants as the ledger had recorded them at a moment.
create function grants_recorded_at(moment timestamptz) returns table (
  id text, entitlement_id text, org_id text, quantity integer, starts_at timestamptz, ends_at timestamptz, source text,
  subscription_id text
) language sql stable as $$
  select grant_id, entitlement_id, org_id, quantity, starts_at, ends_at, source, subscription_id
  from entitlement_versions
  where grant_id is not null and is_active and recorded_at <= moment and moment < replaced_at
$$;

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
