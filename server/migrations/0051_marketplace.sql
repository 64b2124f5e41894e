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
  expires_at timestamptz(3) not null
);

create index aws_registrations_user on aws_registrations (user_id) where user_id is not null;
create index aws_registrations_product on aws_registrations (product_id);
create index aws_registrations_expiry on aws_registrations (expires_at);

-- A browser that came with a registration, by SHA-256 of the handle in its cookie.
create table aws_registration_handles (
  handle_hash text primary key,
  registration_id text not null references aws_registrations (id) on delete cascade
);

create index aws_registration_handles_registration on aws_registration_handles (registration_id);

-- The registrations with their products.
create view aws_registration_rows as
  select r.id, r.product_id, p.name as product_name, p.product_code, p.enabled as is_product_enabled,
    r.customer_aws_account_id, r.offer_type, r.user_id, r.redeemed_at, r.created_at, r.expires_at,
    r.expires_at <= now() as is_expired
  from aws_registrations r join aws_products p on p.id = r.product_id;
