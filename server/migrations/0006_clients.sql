-- A client: an application that signs users in through Passport (RFC 6749, section 2).
create table clients (
  client_id text primary key,
  name text not null,
  -- SHA-256 of the secret; null for a public client.
  secret_hash text,
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  grant_types text[] not null,
  -- Null if the client does not receive back-channel logouts.
  backchannel_logout_uri text,
  -- `skip`: an application of the operator. `once`: the consent of the user is remembered. `always`: asked each time.
  consent text not null check (consent in ('skip', 'once', 'always')),
  -- `built-in` and `configuration` clients are written at each start of a server.
  source text not null check (source in ('built-in', 'configuration', 'console')),
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  -- Its devices require a PIN even if they do not ask for one (RFC 10027): an attacker's request would not.
  is_pin_required boolean not null default false,
  -- What the client may do on its own behalf (RFC 6749, section 4.4).
  scopes text[] not null default '{}',
  -- Whether it authenticates with a secret (RFC 6749, section 2.1).
  is_confidential boolean not null default false,
  id_token_signing_alg text not null default 'ES256' check (id_token_signing_alg in ('ES256', 'RS256')),
  -- The identity APIs that the client calls on its own behalf, with its scopes: `[{"name", "scopes"}]`.
  apis jsonb not null default '[]',
  -- Deleted clients can be restored, with their secrets. Their id stays taken.
  deleted_at timestamptz(3),
  -- Whether its authorization requests need a code challenge (RFC 7636). Optional only with a secret, which protects the code
  -- as well.
  pkce text not null default 'required' check (pkce in ('required', 'optional')),
  -- What was issued to a client before this time is void. A statement that issues something may be in progress while its client
  -- is deleted, and what it inserts is then found by no deletion. Set when a client is created or restored.
  not_before timestamptz not null default clock_timestamp(),
  check (pkce = 'required' or is_confidential)
);

create index clients_deleted on clients (deleted_at, client_id) where deleted_at is not null;

-- A secret made in the console; that of a client of the configuration is in `clients`. A client may have two, so that one can replace the other.
create table client_secrets (
  id text primary key,
  client_id text not null references clients on delete cascade,
  -- SHA-256
  secret_hash text not null,
  created_at timestamptz(3) not null default now()
);

create index client_secrets_client on client_secrets (client_id);

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

-- Notifies servers, which keep clients in memory, to read them again.
create function notify_clients_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('clients', '');
  return null;
end $$;

-- A client as the console shows it.
create view client_rows as
  select c.client_id, c.name as client_name, c.source, c.is_confidential as confidential, c.redirect_uris,
    c.post_logout_redirect_uris, c.backchannel_logout_uri, c.consent, c.grant_types, c.is_pin_required, c.scopes,
    c.id_token_signing_alg, c.enabled, c.created_at, c.updated_at, c.version,
    lower(c.name) collate "C" as sort_name, plain_text(c.name || ' ' || c.client_id) as search_text, u.last_used_at, c.apis,
    c.pkce
  from clients c left join client_uses u using (client_id)
  where c.deleted_at is null;

create view deleted_clients as
  select 'client' as kind, client_id as id, name, client_id as detail, deleted_at from clients where deleted_at is not null;

-- The clients that may get tokens, and read about them. A server compares the version of the client that it has
-- authenticated by a copy in memory.
create view usable_clients as
  select client_id, version, not_before from clients where enabled and deleted_at is null;

create view introspecting_clients as select client_id, version from usable_clients;

create view device_clients as select client_id, not_before from usable_clients;

create trigger clients_changed after insert or update or delete on clients
  for each statement execute function notify_clients_changed();

create trigger client_secrets_changed after insert or update or delete on client_secrets
  for each statement execute function notify_clients_changed();
