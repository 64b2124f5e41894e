-- When a closed quantity was taken over into aws_usage; null until then, and for usage that nobody is billed for.
alter table entitlement_usage add column metered_at timestamptz(3);

create index entitlement_usage_unmetered on entitlement_usage (hour, subscription_id, id)
  where closed_at is not null and metered_at is null and subscription_id is not null;
create index entitlement_usage_open_of_subscription on entitlement_usage (subscription_id)
  where closed_at is null and subscription_id is not null;

-- `quantity` is what AWS bills, and never changes once it was sent.
alter table aws_usage
  drop constraint aws_usage_status_check,
  -- `included` is not sent: the buyer has paid for it in advance. `sent` waits for the answer of AWS until `due_at`.
  add constraint aws_usage_status_check check (status in
    ('pending', 'sent', 'success', 'included', 'duplicate', 'not_subscribed', 'rejected', 'expired')),
  -- What was used in the hour, paid in advance or not.
  add column used integer not null default 0 check (used >= 0),
  -- The term of a contract with consumption, and what was used in it until the end of this hour.
  add column term_starts_at timestamptz(3),
  add column term_used bigint not null default 0,
  -- What AWS was sent too much of, as became known later. It is never corrected downwards.
  add column over_metered integer not null default 0,
  -- When it is sent next.
  add column due_at timestamptz(3) not null default now(),
  -- When AWS answered about it.
  add column answered_at timestamptz(3),
  -- The name of the last error of AWS.
  add column error text;

create index aws_usage_due on aws_usage (due_at, hour) where status in ('pending', 'sent');
create index aws_usage_unsent on aws_usage (hour) where status in ('pending', 'sent');
create index aws_subscriptions_ending on aws_subscriptions (ends_at) where status in ('ending', 'ended');
create index aws_usage_refused on aws_usage (hour)
  where status in ('duplicate', 'not_subscribed', 'rejected', 'expired');
create index aws_usage_not_subscribed on aws_usage (subscription_id) where status = 'not_subscribed';
create index aws_usage_of_subscription on aws_usage (subscription_id, hour, dimension);

-- What a subscription to a contract with consumption is entitled to in a dimension, from `since` on.
create table aws_entitled_quantities (
  subscription_id text not null references aws_subscriptions on delete cascade,
  dimension text not null,
  since timestamptz(3) not null,
  quantity integer not null check (quantity >= 0),
  -- A new expiry begins a new term, in which usage is counted from zero.
  term_starts_at timestamptz(3) not null,
  expires_at timestamptz(3),
  primary key (subscription_id, dimension, since)
);

-- The ends of subscriptions for which open hours were closed early, so that AWS still accepts them.
create table aws_usage_flushes (
  subscription_id text primary key references aws_subscriptions on delete cascade,
  ends_at timestamptz(3) not null
);

-- The row that is locked while usage is taken over for metering.
create table aws_metering (id boolean primary key default true check (id));
insert into aws_metering default values;

-- The dimension by which the usage of an entitlement is metered for a subscription.
create view metered_dimensions as
  select distinct on (s.id, d.entitlement_id) s.id as subscription_id, d.entitlement_id, d.key as dimension, d.kind,
    p.pricing_model
  from aws_subscriptions s join aws_products p on p.id = s.product_id
  join aws_product_dimensions d on d.product_id = p.id and d.kind in ('metered', 'both')
  order by s.id, d.entitlement_id, d.place;

-- How AWS identifies the buyer of a subscription in usage records.
create view metered_buyers as
  select s.id as subscription_id, s.product_id, p.product_code, s.license_arn, s.customer_aws_account_id,
    s.customer_identifier, s.starts_at
  from aws_subscriptions s join aws_products p on p.id = s.product_id;

-- The subscriptions in or after their final hour, of which AWS soon accepts no usage. `is_last_call`: there is no later time.
create view ending_meters as
  select s.id as subscription_id, s.ends_at,
    s.status = 'ended' or s.final_metering_until <= now() + interval '5 minutes' as is_last_call
  from aws_subscriptions s
  where s.status in ('ending', 'ended') and s.ends_at > now() - interval '2 days' and s.ends_at <= now();

-- The first time that BatchMeterUsage said that the buyer is not subscribed, after the end.
create or replace view aws_subscription_facts as
  select s.*, p.product_code, p.pricing_model,
    (select coalesce(jsonb_agg(jsonb_build_object('key', d.key, 'kind', d.kind, 'entitlementId', d.entitlement_id,
        'entitlementKind', e.kind)), '[]')
      from aws_product_dimensions d join entitlements e on e.id = d.entitlement_id where d.product_id = p.id) as dimensions,
    (select coalesce(jsonb_agg(jsonb_build_object('dimension', n.dimension, 'value', n.value,
        'expiresAt', format_instant(n.expires_at)) order by n.dimension), '[]')
      from aws_entitlement_snapshots n where n.subscription_id = s.id) as snapshot,
    (select format_instant(max(u.answered_at)) from aws_usage u
      where u.subscription_id = s.id and u.status = 'not_subscribed') as not_subscribed_at
  from aws_subscriptions s join aws_products p on p.id = s.product_id;
