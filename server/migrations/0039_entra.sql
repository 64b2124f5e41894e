-- Who verified a domain: Passport by its DNS record, or Microsoft, as a domain of the organisation's tenant. Only the
-- former needs the record and lapses without it.
alter table org_domains add column source text not null default 'dns' check (source in ('dns', 'microsoft'));

drop index org_domains_to_check;
create index org_domains_to_check on org_domains (checked_at) where status = 'verified' and source = 'dns';

alter table entra_connections
  -- Why the last consent link failed: `{code, permission, at}`.
  add column consent_failure jsonb,
  -- Verified domains of the tenant that the organisation did not get, as of the last consent: `[{domain, reason}]`.
  add column rejected_domains jsonb not null default '[]';

create index entra_connections_domain on entra_connections (default_domain);

-- The tenant of each organisation, with the organisation and its last consent link.
create view entra_rows as
  select c.org_id, c.tenant_id::text as tenant_id, c.cloud, c.display_name, c.default_domain, c.consent, c.consented_at,
    c.sign_in_enabled, c.tested_at, c.allow_guests, c.mappings, c.consent_failure, c.rejected_domains,
    o.name as org_name, o.deleted_at as org_deleted_at,
    (
      select max(l.expires_at) from entra_consent_links l
      where l.org_id = c.org_id and l.used_at is null and l.replaced_at is null
    ) as consent_link_expires_at
  from entra_connections c join orgs o on o.id = c.org_id;
