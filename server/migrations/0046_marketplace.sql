-- A SaaS product in AWS Marketplace.
create table aws_products (
  id text primary key,
  name text not null,
  -- Identifies the product in calls to AWS, and in its events.
  product_code text not null unique,
  -- Its id in the catalog, if known: `prod-…`.
  product_id text unique,
  pricing_model text not null check (pricing_model in ('contract', 'contract-with-consumption', 'subscription', 'free')),
  -- Whether AWS identifies buyers by the ARN of a license, or by a customer identifier.
  integration text not null default 'license-arn' check (integration in ('license-arn', 'legacy')),
  region text not null default 'us-east-1',
  sns_topic_arns text[] not null default '{}',
  support_email text not null,
  -- A disabled product takes no new subscriptions.
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);

-- A dimension of a product: what AWS entitles buyers to, or meters. Buyers get the entitlement by it.
create table aws_product_dimensions (
  product_id text not null references aws_products on delete cascade,
  key text not null,
  kind text not null check (kind in ('entitled', 'metered', 'both')),
  entitlement_id text,
  unit text,
  -- The position in the list of the product.
  place integer not null,
  primary key (product_id, key)
);

create index aws_product_dimensions_entitlement on aws_product_dimensions (entitlement_id) where entitlement_id is not null;

-- An AWS product with its dimensions.
create view aws_product_rows as
  select p.*,
    coalesce(
      (select jsonb_agg(jsonb_build_object('key', d.key, 'kind', d.kind, 'entitlement', null, 'unit', d.unit) order by d.place)
        from aws_product_dimensions d where d.product_id = p.id),
      '[]') as dimensions,
    plain_text(p.name) collate "C" as sort_name,
    plain_text(p.name || ' ' || p.product_code || ' ' || coalesce(p.product_id, '')) as search_text
  from aws_products p;

-- The products by which buyers get an entitlement.
create view entitlement_mappings as
  select d.entitlement_id, p.id as product_id, p.name as product_name, d.key as dimension
  from aws_product_dimensions d join aws_products p on p.id = d.product_id
  where d.entitlement_id is not null;

create or replace view audit_entries as
  select e.*,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id),
      (select c.name from clients c where e.actor_id = 'client:' || c.client_id)
    ) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'identity-api' then (select a.display_name from identity_apis a where a.id = e.target_id)
      when 'aws-product' then (select p.name from aws_products p where p.id = e.target_id)
      when 'role' then e.target_id
    end as target_name
  from audit_events e;
