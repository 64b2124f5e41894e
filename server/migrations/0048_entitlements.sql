-- The kinds of entitlements, for the grants.
create view entitlement_kinds as
  select id, kind from entitlements;

create or replace function record_grant() returns trigger language plpgsql as $$
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
