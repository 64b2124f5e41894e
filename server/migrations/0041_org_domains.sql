-- Domains that organisations say are theirs.
create table org_domains (
  org_id text not null references orgs (id) on delete cascade,
  domain text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'lapsed')),
  -- Shown in the DNS of the domain, so it is no secret.
  challenge text not null,
  added_at timestamptz(3) not null default now(),
  verified_at timestamptz(3),
  checked_at timestamptz(3),
  failing_since timestamptz(3),
  primary key (org_id, domain)
);

-- A domain is proved by one organisation at a time.
create unique index org_domains_verified on org_domains (domain) where status = 'verified';
create index org_domains_to_check on org_domains (checked_at) where status = 'verified';

create view verified_domains as
  select d.domain, o.id as org_id, o.name as org_name
  from org_domains d join orgs o on o.id = d.org_id and o.deleted_at is null
  where d.status = 'verified';
