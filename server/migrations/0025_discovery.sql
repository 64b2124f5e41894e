-- Notifies servers, which remember whether any tenant is enabled.
create function notify_tenants_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('tenants', '');
  return null;
end $$;

-- How the users of each organisation sign in: one row for each verified domain, or one without a domain. The tenant is
-- null for an organisation that is not connected to Microsoft Entra.
create view home_realms as
  select d.domain, o.id as org_id, o.name as org_name, e.tenant_id, e.cloud, e.consent,
    coalesce(e.sign_in_enabled, false) as sign_in_enabled
  from orgs o
  left join org_domains d on d.org_id = o.id and d.status = 'verified'
  left join entra_connections e on e.org_id = o.id
  where o.deleted_at is null;

create trigger tenants_changed after insert or update of sign_in_enabled or delete on entra_connections
  for each statement execute function notify_tenants_changed();
