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
  scopes text[] not null default '{}'
);

-- Notifies servers, which keep clients in memory, to read them again.
create function notify_clients_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('clients', '');
  return null;
end $$;

create trigger clients_changed after insert or update or delete on clients
  for each statement execute function notify_clients_changed();
