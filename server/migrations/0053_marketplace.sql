-- A buyer's subscription to an AWS product: one for each licence.
create table aws_subscriptions (
  id text primary key,
  product_id text not null references aws_products,
  -- The trailing `l-…` of the ARN: events have the ARN in another form. Null for buyers of legacy products.
  license_key text unique,
  license_arn text,
  customer_aws_account_id text not null,
  -- Identifies the buyer of a legacy product.
  customer_identifier text,
  -- The agreement in force, or the last one.
  agreement_id text,
  offer_id text,
  -- The organisation that redeemed the subscription; null until then.
  org_id text references orgs on delete set null,
  status text not null default 'pending' check (status in ('pending', 'active', 'ending', 'ended', 'failed')),
  source text not null check (source in ('landing', 'event', 'manual')),
  trial boolean not null default false,
  trial_ends_at timestamptz(3),
  -- Whether the buyer came with the offer type `free-trial`.
  is_trial_offer boolean not null default false,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  -- An hour after the first sign of the end.
  final_metering_until timestamptz(3),
  last_event_at timestamptz(3),
  contact_email text,
  note text not null default '',
  -- The latest answers of AWS. The entitlements are in aws_entitlement_snapshots.
  last_checked_at timestamptz(3),
  entitled_since timestamptz(3),
  agreement_status text,
  agreement_ends_at timestamptz(3),
  has_terms boolean not null default false,
  -- The free trial in the terms, as `Observation` has it.
  free_trial jsonb,
  -- When AWS is to be asked next; null if nothing is open.
  check_at timestamptz(3),
  check_attempts integer not null default 0,
  -- The failure of the last check; null after a success.
  check_error text,
  -- When the state changes without an event.
  changes_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);

create unique index aws_subscriptions_legacy on aws_subscriptions (product_id, customer_identifier)
  where license_key is null and customer_identifier is not null;
create index aws_subscriptions_account on aws_subscriptions (customer_aws_account_id, product_id);
create index aws_subscriptions_agreement on aws_subscriptions (agreement_id);
create index aws_subscriptions_org on aws_subscriptions (org_id) where org_id is not null;
create index aws_subscriptions_check on aws_subscriptions (check_at) where check_at is not null;
create index aws_subscriptions_change on aws_subscriptions (changes_at) where changes_at is not null;

-- The entitlements of a subscription, as GetEntitlements returned them last.
create table aws_entitlement_snapshots (
  subscription_id text not null references aws_subscriptions on delete cascade,
  dimension text not null,
  -- A number, a truth value, a text, or null.
  value jsonb not null,
  expires_at timestamptz(3),
  fetched_at timestamptz(3) not null,
  primary key (subscription_id, dimension)
);

-- An event of AWS, stored before it is applied. An event that is delivered again is not stored again.
create table aws_events (
  id text primary key,
  -- `eventbridge` or `sns`.
  source text not null,
  event_id text not null,
  detail_type text not null,
  -- What the event says; null if that is nothing about a subscription.
  kind text,
  license_key text,
  license_arn text,
  agreement_id text,
  offer_id text,
  account_id text,
  -- The code of the product, or its id.
  product text,
  event_time timestamptz(3) not null,
  payload jsonb not null,
  -- `unmatched` waits for its subscription. `failed` is retried until it succeeds.
  status text not null check (status in ('received', 'applied', 'ignored', 'unmatched', 'failed')),
  subscription_id text references aws_subscriptions on delete set null,
  attempts integer not null default 0,
  error text,
  received_at timestamptz(3) not null default now(),
  unique (source, event_id)
);

create index aws_events_received on aws_events (received_at) where status = 'received';
create index aws_events_open on aws_events (status, received_at, id) where status in ('unmatched', 'failed');
create index aws_events_subscription on aws_events (subscription_id, event_time);
create index aws_events_agreement on aws_events (agreement_id) where agreement_id is not null;
create index aws_events_license on aws_events (license_key) where status = 'unmatched';
create index aws_events_account on aws_events (account_id) where status = 'unmatched';

-- The usage of a dimension in one hour, for a metered subscription.
create table aws_usage (
  subscription_id text not null references aws_subscriptions on delete cascade,
  dimension text not null,
  -- The beginning of the hour.
  hour timestamptz(3) not null,
  quantity integer not null check (quantity >= 0),
  status text not null default 'pending'
    check (status in ('pending', 'sent', 'success', 'duplicate', 'not_subscribed', 'rejected', 'expired')),
  metering_record_id text,
  attempts integer not null default 0,
  updated_at timestamptz(3) not null default now(),
  primary key (subscription_id, dimension, hour)
);

-- Returns the subscription that an event is about: that of its licence, else that of its agreement, else the only one of
-- its account and product. Null if there is none.
create function subscription_of_event(license text, agreement text, account text, event_product text) returns text
  language sql stable as $$
  select coalesce(
    (select id from aws_subscriptions where license_key = license),
    case when license is null then coalesce(
      (select id from aws_subscriptions where agreement_id = agreement limit 1),
      (select subscription_id from aws_events
        where agreement_id = agreement and license_key is not null and subscription_id is not null limit 1),
      (select min(s.id) from aws_subscriptions s join aws_products p on p.id = s.product_id
        where s.customer_aws_account_id = account and event_product in (p.product_code, p.product_id)
        having count(*) = 1)) end)
$$;

-- The products that events name.
create view aws_product_codes as select id, product_code, product_id from aws_products;

-- The subscriptions that are billed for the usage of an entitlement.
create view billable_subscriptions as
  select s.id as subscription_id, s.org_id, d.entitlement_id, s.starts_at as since
  from aws_subscriptions s
  join aws_product_dimensions d on d.product_id = s.product_id and d.kind in ('metered', 'both')
  where s.status in ('active', 'ending') and s.org_id is not null and d.entitlement_id is not null;

-- A subscription with what its state is derived from.
create view aws_subscription_facts as
  select s.*, p.product_code, p.pricing_model,
    (select coalesce(jsonb_agg(jsonb_build_object('key', d.key, 'kind', d.kind, 'entitlementId', d.entitlement_id,
        'entitlementKind', e.kind)), '[]')
      from aws_product_dimensions d join entitlements e on e.id = d.entitlement_id where d.product_id = p.id) as dimensions,
    (select coalesce(jsonb_agg(jsonb_build_object('dimension', n.dimension, 'value', n.value,
        'expiresAt', format_instant(n.expires_at)) order by n.dimension), '[]')
      from aws_entitlement_snapshots n where n.subscription_id = s.id) as snapshot,
    (select format_instant(min(u.hour)) from aws_usage u where u.subscription_id = s.id and u.status = 'not_subscribed')
      as not_subscribed_at
  from aws_subscriptions s join aws_products p on p.id = s.product_id;

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
      when 'aws-subscription' then (select p.name || ' for account ' || s.customer_aws_account_id
        from aws_subscriptions s join aws_products p on p.id = s.product_id where s.id = e.target_id)
      when 'entitlement' then (select n.name from entitlements n where n.id = e.target_id)
      when 'role' then e.target_id
    end as target_name
  from audit_events e;
