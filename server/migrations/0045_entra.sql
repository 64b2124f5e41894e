-- Organisations are found by the id and the default domain of their tenant.
create index entra_connections_tenant on entra_connections ((tenant_id::text));

create view findable_tenants as
  select org_id, tenant_id::text as tenant_id, default_domain from entra_connections;
