-- The subscription of each registration; the earlier ones have none and can be repeated from AWS.
delete from aws_registrations;
alter table aws_registrations add column subscription_id text not null references aws_subscriptions (id) on delete cascade;
create index aws_registrations_subscription on aws_registrations (subscription_id);

-- The state in the last email to the buyer of a redeemed subscription.
create table aws_buyer_notices (
  subscription_id text primary key references aws_subscriptions (id) on delete cascade,
  status text not null
);

create or replace view aws_registration_rows as
  select r.id, r.product_id, p.name as product_name, p.product_code, p.enabled as is_product_enabled,
    r.customer_aws_account_id, r.offer_type, r.user_id, r.redeemed_at, r.created_at, r.expires_at,
    r.expires_at <= now() as is_expired, p.pricing_model, r.subscription_id, s.status as subscription_status, s.org_id
  from aws_registrations r
  join aws_products p on p.id = r.product_id
  join aws_subscriptions s on s.id = r.subscription_id;

-- The subscriptions of organisations, as their buyers see them: never with the whole id of the AWS account.
create view buyer_subscriptions as
  select s.id, s.org_id, o.name as org_name, p.id as product_id, p.name as product_name, s.status,
    right(s.customer_aws_account_id, 4) as last_four, s.trial, s.trial_ends_at, s.starts_at, s.ends_at,
    p.support_email, s.contact_email, s.created_at,
    (select coalesce(jsonb_agg(jsonb_build_object('dimension', coalesce(d.key, n.dimension), 'value', n.value,
        'expiresAt', format_instant(n.expires_at), 'unit', d.unit) order by d.place, n.dimension), '[]')
      from (select * from aws_product_dimensions where product_id = p.id) d
      full join (select * from aws_entitlement_snapshots where subscription_id = s.id) n on n.dimension = d.key)
      as dimensions
  from aws_subscriptions s
  join aws_products p on p.id = s.product_id
  join orgs o on o.id = s.org_id and o.deleted_at is null;
