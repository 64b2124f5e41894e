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
create or replace function subscription_of_event(license text, agreement text, account text, event_product text) returns text
  language sql stable as $$
  select coalesce(
    (select id from aws_subscriptions where license_key = license),
    case when license is null then coalesce(
      (select id from aws_subscriptions where agreement_id = agreement limit 1),
      (select subscription_id from aws_events
        where agreement_id = agreement and license_key is not null and subscription_id is not null limit 1),
      (select min(s.id) from aws_subscriptions s join aws_products p on p.id = s.product_id
        where (s.customer_aws_account_id = account or s.customer_identifier = account)
          and event_product in (p.product_code, p.product_id)
        having count(*) = 1)) end)
$$;

create index aws_subscriptions_customer on aws_subscriptions (customer_identifier) where customer_identifier is not null;

-- The topics of older listings, which send notifications.
create view aws_topics as
  select p.id as product_id, p.product_code, t.arn
  from aws_products p cross join lateral unnest(p.sns_topic_arns) as t (arn) where p.deleted_at is null;
