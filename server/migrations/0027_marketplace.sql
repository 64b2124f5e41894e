-- A SaaS product in AWS Marketplace.
create table aws_products (
  id text primary key,
  name text not null,
  -- Identifies the product in calls to AWS, and in its events.
  product_code text not null,
  -- Its id in the catalog, if known: `prod-…`.
  product_id text,
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
  version integer not null default 1,
  -- A deleted product keeps its row and its dimensions until the purge. Its code and its id are free for another product.
  deleted_at timestamptz(3)
);

create unique index aws_products_product_code_key on aws_products (product_code) where deleted_at is null;
create unique index aws_products_product_id_key on aws_products (product_id) where deleted_at is null;
create index aws_products_deleted on aws_products (deleted_at, id) where deleted_at is not null;

-- A dimension of a product: what AWS entitles buyers to, or meters. Buyers get the entitlement by it.
create table aws_product_dimensions (
  product_id text not null references aws_products on delete cascade,
  key text not null,
  kind text not null check (kind in ('entitled', 'metered', 'both')),
  entitlement_id text,
  unit text,
  -- The position in the list of the product.
  place integer not null,
  primary key (product_id, key),
  -- What buyers get by the dimension. An entitlement that is mapped is not deleted.
  foreign key (entitlement_id) references entitlements
);

create index aws_product_dimensions_entitlement on aws_product_dimensions (entitlement_id) where entitlement_id is not null;

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
create index aws_subscriptions_product on aws_subscriptions (product_id, status);
create index aws_subscriptions_created on aws_subscriptions (created_at, id);
create index aws_subscriptions_ending on aws_subscriptions (ends_at) where status in ('ending', 'ended');
create index aws_subscriptions_customer on aws_subscriptions (customer_identifier) where customer_identifier is not null;

-- A purchase with which AWS Marketplace has sent a browser here, as AWS resolved its registration token.
create table aws_registrations (
  id text primary key,
  -- SHA-256 of the registration token.
  token_hash text not null unique,
  product_id text not null references aws_products (id) on delete cascade,
  customer_aws_account_id text not null,
  -- Only in older listings.
  customer_identifier text,
  -- The trailing `l-…` of the ARN, by which events name a license.
  license_key text,
  license_arn text,
  offer_type text not null check (offer_type in ('standard', 'free-trial')),
  -- What the browser claimed in further fields; for support only.
  hints jsonb not null,
  -- The user who has begun to redeem it; no other can.
  user_id text references users (id) on delete set null,
  redeemed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  subscription_id text not null references aws_subscriptions (id) on delete cascade
);

create index aws_registrations_user on aws_registrations (user_id) where user_id is not null;
create index aws_registrations_product on aws_registrations (product_id);
create index aws_registrations_expiry on aws_registrations (expires_at);
create index aws_registrations_subscription on aws_registrations (subscription_id);

-- A browser that came with a registration, by SHA-256 of the handle in its cookie.
create table aws_registration_handles (
  handle_hash text primary key,
  registration_id text not null references aws_registrations (id) on delete cascade
);

create index aws_registration_handles_registration on aws_registration_handles (registration_id);

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
  -- What AWS bills. It never changes once it was sent.
  quantity integer not null check (quantity >= 0),
  -- `included` is not sent: the buyer has paid for it in advance. `sent` waits for the answer of AWS until `due_at`.
  status text not null default 'pending' check (
    status in ('pending', 'sent', 'success', 'included', 'duplicate', 'not_subscribed', 'rejected', 'expired')),
  metering_record_id text,
  attempts integer not null default 0,
  updated_at timestamptz(3) not null default now(),
  -- What was used in the hour, paid in advance or not.
  used integer not null default 0 check (used >= 0),
  -- The term of a contract with consumption, and what was used in it until the end of this hour.
  term_starts_at timestamptz(3),
  term_used bigint not null default 0,
  -- What AWS was sent too much of, as became known later. It is never corrected downwards.
  over_metered integer not null default 0,
  -- When it is sent next.
  due_at timestamptz(3) not null default now(),
  -- When AWS answered about it.
  answered_at timestamptz(3),
  -- The name of the last error of AWS.
  error text,
  primary key (subscription_id, dimension, hour)
);

create index aws_usage_due on aws_usage (due_at, hour) where status in ('pending', 'sent');
create index aws_usage_unsent on aws_usage (hour) where status in ('pending', 'sent');
create index aws_usage_refused on aws_usage (hour)
  where status in ('duplicate', 'not_subscribed', 'rejected', 'expired');
create index aws_usage_not_subscribed on aws_usage (subscription_id) where status = 'not_subscribed';
create index aws_usage_of_subscription on aws_usage (subscription_id, hour, dimension);

-- The state in the last email to the buyer of a redeemed subscription.
create table aws_buyer_notices (
  subscription_id text primary key references aws_subscriptions (id) on delete cascade,
  status text not null
);

-- The row that is locked while events are matched with subscriptions, or a subscription is created.
create table aws_event_matching (id boolean primary key default true check (id));

insert into aws_event_matching default values;

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

-- The queues from which this installation reads events, as the servers saw them last.
create table aws_queues (
  -- The name of the queue.
  name text primary key,
  polled_at timestamptz(3),
  failed_at timestamptz(3),
  -- The name of the last error of AWS; null after a success.
  error text,
  messages bigint not null default 0
);

-- Returns the subscription that an event is about: that of its licence, else that of its agreement, else the only one of
-- its account, or of the customer of an older listing, and product. Null if there is none.
create function subscription_of_event(license text, agreement text, account text, event_product text) returns text
  language sql stable
begin atomic
  select coalesce(
    (select id from aws_subscriptions where license_key = license),
    case when license is null then coalesce(
      (select id from aws_subscriptions where agreement_id = agreement limit 1),
      (select subscription_id from aws_events
        where agreement_id = agreement and license_key is not null and subscription_id is not null limit 1),
      (select min(s.id) from aws_subscriptions s join aws_products p on p.id = s.product_id
        where (s.customer_aws_account_id = account or s.customer_identifier = account)
          and event_product in (p.product_code, p.product_id)
        having count(*) = 1)) end);
end;

-- An AWS product with its dimensions, and the number of its subscriptions in each state.
create view aws_product_rows as
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

-- The products by which buyers get an entitlement. One in the trash sells nothing.
create view entitlement_mappings as
  select d.entitlement_id, p.id as product_id, p.name as product_name, d.key as dimension
  from aws_product_dimensions d join aws_products p on p.id = d.product_id
  where d.entitlement_id is not null and p.deleted_at is null;

-- The registrations with their products.
create view aws_registration_rows as
  select r.id, r.product_id, p.name as product_name, p.product_code, p.enabled as is_product_enabled,
    r.customer_aws_account_id, r.offer_type, r.user_id, r.redeemed_at, r.created_at, r.expires_at,
    r.expires_at <= now() as is_expired, p.pricing_model, r.subscription_id, s.status as subscription_status, s.org_id
  from aws_registrations r
  join aws_products p on p.id = r.product_id
  join aws_subscriptions s on s.id = r.subscription_id;

-- The products that events name.
create view aws_product_codes as select id, product_code, product_id from aws_products where deleted_at is null;

-- The subscriptions that are billed for the usage of an entitlement.
create view billable_subscriptions as
  select s.id as subscription_id, s.org_id, d.entitlement_id, s.starts_at as since
  from aws_subscriptions s
  join aws_product_dimensions d on d.product_id = s.product_id and d.kind in ('metered', 'both')
  where s.status in ('active', 'ending') and s.org_id is not null and d.entitlement_id is not null;

-- A subscription with what its state is derived from, such as the first time that BatchMeterUsage said after the end that the
-- buyer is not subscribed.
create view aws_subscription_facts as
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

-- AWS products, found by their codes, by their ids and by words of their names.
create view findable_aws_products as
  select id, name, product_code as detail, product_code as handle, product_id, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || product_code) as search_words
  from aws_products where deleted_at is null;

create view deleted_aws_products as
  select 'aws-product' as kind, id, name, product_code as detail, deleted_at from aws_products where deleted_at is not null;

-- AWS subscriptions, found by their identifiers at AWS and by the words of their organisations.
create view findable_aws_subscriptions as
  select s.id, p.name, coalesce(o.name, s.customer_aws_account_id) as detail, plain_text(p.name) collate "C" as sort_name,
    s.license_key, s.agreement_id, s.customer_aws_account_id, o.id as org_id
  from aws_subscriptions s join aws_products p on p.id = s.product_id
  left join orgs o on o.id = s.org_id and o.deleted_at is null;

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

-- The topics of older listings, which send notifications.
create view aws_topics as
  select p.id as product_id, p.product_code, t.arn
  from aws_products p cross join lateral unnest(p.sns_topic_arns) as t (arn) where p.deleted_at is null;
