-- A deleted product keeps its row and its dimensions until the purge. Its code and its id are free for another product.
alter table aws_products add deleted_at timestamptz(3);
alter table aws_products drop constraint aws_products_product_code_key, drop constraint aws_products_product_id_key;
create unique index aws_products_product_code_key on aws_products (product_code) where deleted_at is null;
create unique index aws_products_product_id_key on aws_products (product_id) where deleted_at is null;
create index aws_products_deleted on aws_products (deleted_at, id) where deleted_at is not null;

-- An AWS product with its dimensions, and the number of its subscriptions in each state.
create or replace view aws_product_rows as
  select p.id, p.name, p.product_code, p.product_id, p.pricing_model, p.integration, p.region, p.sns_topic_arns,
    p.support_email, p.enabled, p.created_at, p.updated_at, p.version,
    coalesce(
      (select jsonb_agg(jsonb_build_object('key', d.key, 'kind', d.kind, 'unit', d.unit, 'entitlement',
          case when e.id is not null then jsonb_build_object('id', e.id, 'key', e.key, 'name', e.name, 'kind', e.kind) end)
          order by d.place)
        from aws_product_dimensions d left join entitlements e on e.id = d.entitlement_id where d.product_id = p.id),
      '[]') as dimensions,
    plain_text(p.name) collate "C" as sort_name,
    plain_text(p.name || ' ' || p.product_code || ' ' || coalesce(p.product_id, '')) as search_text,
    (select jsonb_build_object(
        'pending', count(*) filter (where s.status = 'pending'), 'active', count(*) filter (where s.status = 'active'),
        'ending', count(*) filter (where s.status = 'ending'), 'ended', count(*) filter (where s.status = 'ended'),
        'failed', count(*) filter (where s.status = 'failed'))
      from aws_subscriptions s where s.product_id = p.id) as subscription_counts
  from aws_products p where p.deleted_at is null;

create view deleted_aws_products as
  select 'aws-product' as kind, id, name, product_code as detail, deleted_at from aws_products where deleted_at is not null;

-- The products by which buyers get an entitlement. One in the trash sells nothing.
create or replace view entitlement_mappings as
  select d.entitlement_id, p.id as product_id, p.name as product_name, d.key as dimension
  from aws_product_dimensions d join aws_products p on p.id = d.product_id
  where d.entitlement_id is not null and p.deleted_at is null;

create or replace view aws_product_codes as select id, product_code, product_id from aws_products where deleted_at is null;

create or replace view findable_aws_products as
  select id, name, product_code as detail, product_code as handle, product_id, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || product_code) as search_words
  from aws_products where deleted_at is null;

-- AWS subscriptions, found by their identifiers at AWS and by the words of their organisations.
create view findable_aws_subscriptions as
  select s.id, p.name, coalesce(o.name, s.customer_aws_account_id) as detail, plain_text(p.name) collate "C" as sort_name,
    s.license_key, s.agreement_id, s.customer_aws_account_id, o.id as org_id
  from aws_subscriptions s join aws_products p on p.id = s.product_id
  left join orgs o on o.id = s.org_id and o.deleted_at is null;
