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
create function notify_identity_apis_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('identity_apis', '');
  return null;
end $$;

-- An identity API with its scopes and clients. It does not name clients in the trash.
create view identity_api_rows as
  select a.*,
    coalesce(
      (select jsonb_agg(jsonb_build_object('name', s.name, 'description', s.description, 'emphasize', s.emphasize) order by s.place)
        from identity_api_scopes s where s.api_id = a.id),
      '[]') as scopes,
    case when not a.allows_every_client then array(
      select c.client_id from identity_api_clients c join clients using (client_id)
      where c.api_id = a.id and c.part = 'allowed' and clients.deleted_at is null order by c.client_id)
    end as allowed_clients,
    array(
      select c.client_id from identity_api_clients c join clients using (client_id)
      where c.api_id = a.id and c.part = 'resource-server' and clients.deleted_at is null order by c.client_id
    ) as resource_servers,
    lower(a.display_name) collate "C" as sort_name,
    plain_text(a.display_name || ' ' || a.name || ' ' || a.audience) as search_text
  from identity_apis a;

-- Identity APIs, found by a part of their names or by their audience.
create view findable_identity_apis as
  select id, display_name as name, name as detail, lower(name) as handle, audience, plain_text(display_name) collate "C" as sort_name,
    words_of(display_name || ' ' || name) as search_words
  from identity_apis where deleted_at is null;

create view deleted_identity_apis as
  select 'identity-api' as kind, id, display_name as name, name as detail, deleted_at
  from identity_apis where deleted_at is not null;

create trigger identity_apis_changed after insert or update or delete on identity_apis
  for each statement execute function notify_identity_apis_changed();

create trigger identity_api_clients_changed after delete on identity_api_clients
  for each statement execute function notify_identity_apis_changed();
