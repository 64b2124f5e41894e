-- The applications that sign people in through Passport (RFC 6749, section 2).
create table clients (
  client_id text primary key,
  name text not null,
  -- SHA-256 of the secret; a public client has none.
  secret_hash text,
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  grant_types text[] not null,
  backchannel_logout_uri text,
  -- `skip`: an application of the operator's own. `once`: the person allows it, and that is remembered. `always`: each time.
  consent text not null check (consent in ('skip', 'once', 'always')),
  -- What it came from: `built-in` and `configuration` ones follow the server that was started last.
  source text not null check (source in ('built-in', 'configuration', 'console')),
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);

-- Servers keep clients in memory; this tells them to look again.
create function tell_that_clients_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('clients', '');
  return null;
end $$;

create trigger clients_changed after insert or update or delete on clients
  for each statement execute function tell_that_clients_changed();
