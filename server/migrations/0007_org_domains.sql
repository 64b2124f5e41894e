-- A domain that an organisation claims.
create table org_domains (
  org_id text not null references orgs (id) on delete cascade,
  domain text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'lapsed')),
  -- Published in the DNS of the domain, so it is not a secret.
  challenge text not null,
  added_at timestamptz(3) not null default now(),
  -- Null until the first verification.
  verified_at timestamptz(3),
  checked_at timestamptz(3),
  -- Since when the DNS record is missing; null while it is there.
  failing_since timestamptz(3),
  primary key (org_id, domain)
);

-- One organisation at a time has verified a domain.
create unique index org_domains_verified on org_domains (domain) where status = 'verified';
create index org_domains_to_check on org_domains (checked_at) where status = 'verified';

-- The verified domains of organisations that are not deleted.
create view verified_domains as
  select d.domain, o.id as org_id, o.name as org_name
  from org_domains d join orgs o on o.id = d.org_id and o.deleted_at is null
  where d.status = 'verified';
