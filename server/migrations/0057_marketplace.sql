-- An AWS product with its dimensions, and the number of its subscriptions in each state.
create or replace view aws_product_rows as
  select p.*,
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
  from aws_products p;

create index aws_subscriptions_product on aws_subscriptions (product_id, status);
create index aws_subscriptions_created on aws_subscriptions (created_at, id);
create index entitlement_ledger_subscription on entitlement_ledger (subscription_id, sequence)
  where subscription_id is not null;

-- A subscription as administrators see it.
create view aws_subscription_rows as
  select s.*,
    jsonb_build_object('id', p.id, 'name', p.name, 'pricingModel', p.pricing_model) as product,
    case when o.id is not null then jsonb_build_object('id', o.id, 'name', o.name) end as org,
    coalesce(
      (select jsonb_agg(jsonb_build_object('dimension', n.dimension, 'value', n.value,
          'expiresAt', format_instant(n.expires_at), 'entitlement',
          case when e.id is not null then jsonb_build_object('id', e.id, 'key', e.key) end) order by n.dimension)
        from aws_entitlement_snapshots n
        left join aws_product_dimensions d on d.product_id = s.product_id and d.key = n.dimension
        left join entitlements e on e.id = d.entitlement_id
        where n.subscription_id = s.id),
      '[]') as entitlements,
    plain_text(concat_ws(' ', s.customer_aws_account_id, s.customer_identifier, s.license_arn, s.agreement_id,
      s.contact_email, s.note, p.name, o.name)) as search_text
  from aws_subscriptions s
  join aws_products p on p.id = s.product_id
  left join orgs o on o.id = s.org_id;

-- The changes of the grants of subscriptions.
create view subscription_ledger_entries as
  select l.sequence, l.recorded_at, l.action, l.subscription_id, l.before,
    jsonb_build_object('id', e.id, 'key', e.key, 'name', e.name) as entitlement,
    jsonb_build_object('org', l.org_name, 'quantity', l.quantity, 'endsAt', format_instant(l.ends_at)) as after
  from ledger_entries l join entitlements e on e.id = l.entitlement_id
  where l.subscription_id is not null;
