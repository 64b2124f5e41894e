-- An identity API: a resource server for which clients get access tokens (RFC 8707, RFC 9068). One API is Passport's own.
create table identity_apis (
  id text primary key,
  -- Also a scope: a token with it is for the API as a whole. Deleted APIs keep their names and scopes until the purge, because
  -- consents name them.
  name text not null unique,
  display_name text not null,
  -- Shown when users are asked for consent.
  description text not null default '',
  -- The `aud` of its tokens and the resource indicator of requests.
  audience text not null unique,
  enabled boolean not null default true,
  -- Claims about the user in its access tokens.
  claims text[] not null default '{}',
  token_lifetime_sec integer not null default 3600 check (token_lifetime_sec between 60 and 86400),
  -- Otherwise only the clients with the part `allowed` in `identity_api_clients` get tokens.
  allows_every_client boolean not null default true,
  built_in boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  version integer not null default 1
);

create index identity_apis_deleted on identity_apis (deleted_at, id) where deleted_at is not null;

-- A scope of an identity API. Its name is unique among all APIs, so that a scope alone identifies the API.
create table identity_api_scopes (
  name text primary key,
  api_id text not null references identity_apis on delete cascade,
  description text not null default '',
  -- Highlighted when users are asked for consent.
  emphasize boolean not null default false,
  -- The position in the list of the API.
  place integer not null
);

create index identity_api_scopes_api on identity_api_scopes (api_id, place);

-- A client of an identity API. `allowed` clients get its tokens; a `resource-server` may introspect them.
create table identity_api_clients (
  api_id text not null references identity_apis on delete cascade,
  client_id text not null references clients on delete cascade,
  part text not null check (part in ('allowed', 'resource-server')),
  primary key (api_id, part, client_id)
);

create index identity_api_clients_client on identity_api_clients (client_id);

-- Notifies servers, which keep identity APIs in memory, to read them again.
create function notify_identity_apis_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('identity_apis', '');
  return null;
end $$;

create trigger identity_apis_changed after insert or update or delete on identity_apis
  for each statement execute function notify_identity_apis_changed();
create trigger identity_api_clients_changed after delete on identity_api_clients
  for each statement execute function notify_identity_apis_changed();

alter table clients
  -- The identity APIs that the client calls on its own behalf, with its scopes: `[{"name", "scopes"}]`.
  add column apis jsonb not null default '[]';

-- An identity API with its scopes and clients.
create view identity_api_rows as
  select a.*,
    coalesce(
      (select jsonb_agg(jsonb_build_object('name', s.name, 'description', s.description, 'emphasize', s.emphasize) order by s.place)
        from identity_api_scopes s where s.api_id = a.id),
      '[]') as scopes,
    case when not a.allows_every_client then array(
      select c.client_id from identity_api_clients c where c.api_id = a.id and c.part = 'allowed' order by c.client_id)
    end as allowed_clients,
    array(
      select c.client_id from identity_api_clients c where c.api_id = a.id and c.part = 'resource-server' order by c.client_id
    ) as resource_servers,
    lower(a.display_name) collate "C" as sort_name,
    plain_text(a.display_name || ' ' || a.name || ' ' || a.audience) as search_text
  from identity_apis a;

create or replace view client_rows as
  select c.client_id, c.name as client_name, c.source, c.is_confidential as confidential, c.redirect_uris,
    c.post_logout_redirect_uris, c.backchannel_logout_uri, c.consent, c.grant_types, c.is_pin_required, c.scopes,
    c.id_token_signing_alg, c.enabled, c.created_at, c.updated_at, c.version,
    lower(c.name) collate "C" as sort_name, plain_text(c.name || ' ' || c.client_id) as search_text, u.last_used_at, c.apis
  from clients c left join client_uses u using (client_id);

-- Identity APIs, found by a part of their names or by their audience.
create view findable_identity_apis as
  select id, display_name as name, name as detail, lower(name) as handle, audience, plain_text(display_name) collate "C" as sort_name,
    words_of(display_name || ' ' || name) as search_words
  from identity_apis where deleted_at is null;

create view deleted_identity_apis as
  select 'identity-api' as kind, id, display_name as name, name as detail, deleted_at
  from identity_apis where deleted_at is not null;

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
      when 'role' then e.target_id
    end as target_name
  from audit_events e;
