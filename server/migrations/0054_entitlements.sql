-- The subscriptions that grants follow.
create view grant_subscriptions as
  select s.id as subscription_id, p.name as product_name, s.status = 'ending' as is_ending
  from aws_subscriptions s join aws_products p on p.id = s.product_id;

-- Subscriptions that the buyer has cancelled, and that still count.
create view ending_subscriptions as
  select id as subscription_id from aws_subscriptions where status = 'ending';

-- The usage of each hour with the names of its organisation and of the product that is billed for it.
create view entitlement_usage_rows as
  select u.id, u.entitlement_id, u.org_id, o.name as org_name, u.hour, u.subscription_id, p.name as product_name, u.quantity,
    u.reports, u.closed_at, u.updated_at
  from entitlement_usage u join orgs o on o.id = u.org_id
  left join aws_subscriptions s on s.id = u.subscription_id left join aws_products p on p.id = s.product_id;

create index entitlement_usage_of_entitlement on entitlement_usage (entitlement_id, hour, id);

-- Returns the usage of an entitlement by an organisation in a period; null if none was reported.
create function used_quantity(of_entitlement text, of_org text, since timestamptz, until timestamptz) returns double precision
language sql stable as $$
  select sum(quantity)::double precision from entitlement_usage
  where entitlement_id = of_entitlement and org_id = of_org and hour >= date_trunc('hour', since, 'UTC') and hour < until
$$;
