-- What was issued to a client before this time is void. A statement that issues something may be in progress while its
-- client is deleted, and what it inserts is then found by no deletion. Set when a client is created or restored.
alter table clients add column not_before timestamptz not null default '-infinity';
alter table clients alter column not_before set default clock_timestamp();

alter table provider_artifacts add column created_at timestamptz not null default now();

-- The clients that may get tokens, and read about them. A server compares the version of the client that it has
-- authenticated by a copy in memory.
create view usable_clients as
  select client_id, version, not_before from clients where enabled and deleted_at is null;

create view introspecting_clients as select client_id, version from usable_clients;

create view device_clients as select client_id, not_before from usable_clients;

create or replace view usable_artifacts as
  select a.issuer, a.kind, a.id_hash, a.payload, a.sealed_id, a.consumed_at, a.expires_at, a.user_code_hash
  from provider_artifacts a
  where a.issuer <> 'passport' or a.payload ->> 'clientId' is null or exists (
    select from usable_clients c where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
  );

create or replace view issuer_grants as
  select g.id_hash, g.payload, client.version as client_version from provider_artifacts g
  cross join lateral (
    select version from usable_clients c
    where c.client_id = g.payload ->> 'clientId' and g.created_at >= c.not_before limit 1
  ) as client
  where g.issuer = 'passport' and g.kind = 'Grant' and g.expires_at > now();

create or replace view token_callers as
  select a.id_hash, a.expires_at, u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select p.png_hash from avatars p where p.user_id = u.id) as picture_hash
  from provider_artifacts a
  join provider_artifacts g on g.issuer = a.issuer and g.kind = 'Grant' and g.expires_at > now()
    and g.id_hash = artifact_hash(a.grant_id)
  join users u on u.id = a.account_id
  cross join lateral (
    select from usable_clients c
    where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
    limit 1
  ) as client
  where a.issuer = 'passport' and a.kind = 'AccessToken' and u.disabled_at is null and u.deleted_at is null;

create or replace view live_artifacts as
  select t.kind, t.id_hash, t.payload, g.payload as grant_payload,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    client.version as client_version
  from provider_artifacts t
  cross join lateral (
    select version from usable_clients c
    where c.client_id = t.payload ->> 'clientId' and t.created_at >= c.not_before
    limit 1
  ) as client
  left join lateral (
    select id_hash, payload from provider_artifacts a
    where a.issuer = 'passport' and a.kind = 'Grant' and (a.expires_at > now()) is true
      and a.id_hash = artifact_hash(t.grant_id)
      and a.account_id = t.account_id and a.payload ->> 'clientId' = t.payload ->> 'clientId'
    limit 1
  ) as g on true
  left join lateral (
    select id, username, display_name, email, email_verified from users a
    where a.id = t.account_id and a.disabled_at is null and a.deleted_at is null
    limit 1
  ) as u on true
  where t.issuer = 'passport' and t.kind in ('AuthorizationCode', 'AccessToken', 'ClientCredentials', 'RefreshToken')
    and t.consumed_at is null and (t.expires_at > now()) is true
    and (t.kind = 'ClientCredentials' or (g.id_hash is not null and u.id is not null))
    and (
      t.payload -> 'expiresWithSession' is distinct from 'true'
      or exists (
        select from provider_artifacts s
        where s.issuer = 'passport' and s.kind = 'Session' and (s.expires_at > now()) is true
          and s.uid = t.payload ->> 'sessionUid' and s.account_id = t.account_id
          and s.payload #>> array['authorizations', t.payload ->> 'clientId', 'grantId'] = t.grant_id
      )
    );

-- With the client of the request: a poll of another one, or of a client that is disabled or has changed, is not usual.
create or replace view pending_device_codes as
  select a.id_hash, client.client_id, client.version as client_version from provider_artifacts a
  cross join lateral (
    select client_id, version from usable_clients c
    where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
    limit 1
  ) as client
  where a.issuer = 'passport' and a.kind = 'DeviceCode' and a.expires_at > now() and a.consumed_at is null
    and a.account_id is null;

create or replace view issuer_codes as
  select a.id_hash, a.payload, a.account_id, a.consumed_at from provider_artifacts a
  where a.issuer = 'passport' and a.kind = 'AuthorizationCode' and (a.expires_at > now()) is true and exists (
    select from usable_clients c where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
  );
