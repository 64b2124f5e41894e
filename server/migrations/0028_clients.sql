alter table clients
  -- Whether it authenticates with a secret (RFC 6749, section 2.1).
  add column is_confidential boolean not null default false,
  add column id_token_signing_alg text not null default 'ES256' check (id_token_signing_alg in ('ES256', 'RS256'));

update clients set is_confidential = true where secret_hash is not null;

-- A secret made in the console; that of a client of the configuration is in `clients`. A client may have two, so that one can replace the other.
create table client_secrets (
  id text primary key,
  client_id text not null references clients on delete cascade,
  -- SHA-256
  secret_hash text not null,
  created_at timestamptz(3) not null default now()
);

create index client_secrets_client on client_secrets (client_id);

create trigger client_secrets_changed after insert or update or delete on client_secrets
  for each statement execute function notify_clients_changed();

-- The last use of a client. Apart from `clients`, whose changes make every server read its clients again.
create table client_uses (
  client_id text primary key references clients on delete cascade,
  -- To the minute.
  last_used_at timestamptz(3) not null default now()
);

create table client_secret_uses (
  secret_id text primary key references client_secrets on delete cascade,
  -- To the minute.
  last_used_at timestamptz(3) not null default now()
);

-- A client as the console shows it.
create view client_rows as
  select c.client_id, c.name as client_name, c.source, c.is_confidential as confidential, c.redirect_uris,
    c.post_logout_redirect_uris, c.backchannel_logout_uri, c.consent, c.grant_types, c.is_pin_required, c.scopes,
    c.id_token_signing_alg, c.enabled, c.created_at, c.updated_at, c.version,
    lower(c.name) collate "C" as sort_name, plain_text(c.name || ' ' || c.client_id) as search_text, u.last_used_at
  from clients c left join client_uses u using (client_id);
