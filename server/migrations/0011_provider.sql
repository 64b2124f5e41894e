-- A signing key of one of the two issuers of this server, `passport` and `directory`.
create table signing_keys (
  kid text primary key,
  issuer text not null,
  alg text not null,
  -- The private key.
  sealed_jwk text not null,
  created_at timestamptz(3) not null default now(),
  -- The key is published at its creation. It signs from here on, until the next key of the same algorithm does.
  signs_from timestamptz(3) not null
);

create index signing_keys_issuer on signing_keys (issuer, alg, signs_from);

-- A code, token, grant, session or interaction of an issuer. Ids are stored as hashes: they cannot be used from here.
create table provider_artifacts (
  issuer text not null,
  -- A model of oidc-provider, such as `AccessToken`; or `Proof`, an id that is accepted once.
  kind text not null,
  id_hash text not null,
  payload jsonb not null,
  -- The id, sealed, of a kind that is found by another column and then used by its id; null for the other kinds.
  sealed_id text,
  account_id text,
  grant_id text,
  -- The public id of a session or an interaction.
  uid text,
  -- When a code or a refresh token was spent, or last presented after that.
  consumed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  -- Of a device code.
  user_code_hash text,
  -- Of a grant: the login with which the user was signed in. The grant ends with it. Null if it is unknown.
  login_id text,
  -- Of a spent refresh token: the hash of its successor.
  successor_hash text,
  -- Of an unused successor: its value, sealed under a key of the token that it replaced.
  sealed_value text,
  -- The browser in which a grant began, as in `sessions`.
  browser_id text,
  created_at timestamptz not null default now(),
  primary key (issuer, kind, id_hash)
);

create index provider_artifacts_account on provider_artifacts (account_id) where account_id is not null;
create index provider_artifacts_grant on provider_artifacts (grant_id) where grant_id is not null;
create index provider_artifacts_expiry on provider_artifacts (expires_at);
create unique index provider_artifacts_user_code on provider_artifacts (issuer, user_code_hash) where user_code_hash is not null;
-- The grants and sessions that tokens depend on are read by each use of a token, and found by hash as tokens are.
create index provider_artifacts_id on provider_artifacts using hash (id_hash);
create index provider_artifacts_uid on provider_artifacts using hash (uid) where uid is not null;

-- A logout that a client has yet to receive (OpenID Connect Back-Channel Logout 1.0).
create table logout_notices (
  id text primary key default gen_random_uuid(),
  client_id text not null,
  account_id text not null,
  -- The session, as the ID tokens of this client name it.
  sid text not null,
  attempts integer not null default 0,
  -- Of the next attempt.
  -- Unrounded, so that a new row is due at once.
  due_at timestamptz not null default now(),
  -- The notices of a client that is disabled wait until it is enabled, at most as long as its sessions last.
  created_at timestamptz not null default now()
);

create index logout_notices_due on logout_notices (due_at);

-- The codes and tokens, most of the artifacts, in a table of their own: ids are random, written once and only compared for
-- equality, so an entry of their hash index is 20 bytes, where one of the primary key was 84, and a look-up reads one page of
-- it at any size. The table inherits: whatever reads, spends or deletes artifacts finds these as well.
create table provider_tokens (
  check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials'))
) inherits (provider_artifacts)
-- A code or a token is spent once, without an entry in any index if its page has room.
with (fillfactor = 85);

create index provider_tokens_id on provider_tokens using hash (id_hash);
-- The tokens of a grant are among those of its user.
create index provider_tokens_account on provider_tokens (account_id) where account_id is not null;
create index provider_tokens_expiry on provider_tokens (expires_at);

-- Notifies servers of logouts to deliver.
create function notify_logout() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('logout', '');
  return null;
end $$;

-- Notifies servers, which keep the clients of tokens in memory, of tokens that end before they expire.
create function notify_client_token_ended() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('client_tokens', '');
  return null;
end $$;

-- What an authorization request and the redemption of a code read, each in one statement.

-- The hash under which an artifact is stored: SHA-256 of its id, as base64url.
create function artifact_hash(id text) returns text language sql immutable parallel safe
  return rtrim(translate(encode(sha256(convert_to(id, 'UTF8')), 'base64'), '+/', '-_'), '=');

-- The access tokens of users who can sign in, with all that a request needs of its caller: it costs one statement. The
-- grant is required as well: a token that was issued while its grant ended must not outlive it.
create view token_callers as
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

create view issuer_sessions as
  select id_hash, uid, payload, sealed_id from provider_artifacts
  where issuer = 'passport' and kind = 'Session' and expires_at > now();

create view issuer_grants as
  select g.id_hash, g.payload, client.version as client_version from provider_artifacts g
  cross join lateral (
    select version from usable_clients c
    where c.client_id = g.payload ->> 'clientId' and g.created_at >= c.not_before limit 1
  ) as client
  where g.issuer = 'passport' and g.kind = 'Grant' and g.expires_at > now();

create view pending_interactions as
  select id_hash, payload from provider_artifacts
  where issuer = 'passport' and kind = 'Interaction' and expires_at > now();

-- The session of a browser with its user, without the roles and organisations that pages need. The request for which a user has
-- signed in continues without another page, so it reads for which one that was.
create view authorization_callers as
  select
    s.token_hash, s.expires_at, s.last_seen_at, s.login_id, s.browser_id, s.auth_time, s.amr, s.acr, s.provider_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    s.interaction
  from sessions s
  cross join lateral (
    select id, username, display_name, email, email_verified from users a
    where a.id = s.user_id and a.disabled_at is null and a.deleted_at is null
    limit 1
  ) as u;

-- The link between the session of a browser and that of the issuer.
create view session_bindings as select token_hash, provider_session from sessions;

-- Everything that an application presents to get tokens or claims, authorization codes too, that is valid at this moment, with
-- all that decides it and all that is said about its user, so that a request costs one statement. A token of a user is valid as
-- long as its grant is, the user is enabled, and the issuer's session lasts in which it was issued, unless the token outlives
-- the session (`offline_access`). Every row is found by its key, whatever the planner knows about the tables. With the
-- statistics of a table that was nearly empty, it would read all grants, or all users, and keep that plan until the next
-- statistics. A subquery with a limit has to be evaluated for each token. The expiry needs no index: the planner would combine
-- it with that of the key, and does not use an index for `is true`.
create view live_artifacts as
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

-- Those that are tokens.
create view live_tokens as select * from live_artifacts where kind <> 'AuthorizationCode';

-- An artifact is worth what its application is: a code, a grant or a token counts while the application exists and is
-- enabled, in every process from the next request on. The rows stay, so that those that have not expired count again
-- once the application is enabled.

-- The artifacts that the library finds by their ids. Those of the built-in directory have clients of their own, and
-- sessions, interactions and device codes are of no client, or are sealed.
create view usable_artifacts as
  select a.issuer, a.kind, a.id_hash, a.payload, a.sealed_id, a.consumed_at, a.expires_at, a.user_code_hash
  from provider_artifacts a
  where a.issuer <> 'passport' or a.payload ->> 'clientId' is null or exists (
    select from usable_clients c where c.client_id = a.payload ->> 'clientId' and a.created_at >= c.not_before
  );

create view disabled_clients as select client_id from clients where not enabled and deleted_at is null;

-- Authorization requests that wait for their users, and pushed ones, as long as their client may get tokens.
create view authorization_requests as
  select r.issuer, r.kind, r.id_hash, r.payload, r.consumed_at, r.expires_at from provider_artifacts r
  where r.issuer = 'passport' and r.kind in ('Interaction', 'PushedAuthorizationRequest') and exists (
    select from usable_clients c where c.client_id = r.payload ->> 'clientId' and r.created_at >= c.not_before
  );

-- What an application exchanges for tokens, spent or not, with everything that decides about the exchange, and what the
-- tokens say about the user. Every row is found by its key, as in `live_artifacts`.
create view grant_sources as
  select t.kind, t.id_hash, t.payload, t.grant_id,
    extract(epoch from now() - t.consumed_at)::float8 as spent_seconds,
    client.version as client_version,
    g.id_hash is not null and (t.created_at >= client.not_before) is true as has_grant,
    t.payload -> 'expiresWithSession' is distinct from 'true' or exists (
      select from provider_artifacts s
      where s.issuer = 'passport' and s.kind = 'Session' and (s.expires_at > now()) is true
        and s.uid = t.payload ->> 'sessionUid' and s.account_id = t.account_id
        and s.payload #>> array['authorizations', t.payload ->> 'clientId', 'grantId'] = t.grant_id
    ) as has_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts t
  left join lateral (
    select version, not_before from usable_clients c where c.client_id = t.payload ->> 'clientId' limit 1
  ) as client on true
  left join lateral (
    select id_hash from provider_artifacts a
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
  where t.issuer = 'passport' and t.kind in ('AuthorizationCode', 'DeviceCode', 'RefreshToken')
    and (t.expires_at > now()) is true;

create trigger logout_notices_added after insert on logout_notices
  for each statement execute function notify_logout();

create trigger client_tokens_ended after delete on provider_artifacts
  for each row when (old.kind = 'ClientCredentials' and old.expires_at > now())
  execute function notify_client_token_ended();

create trigger client_tokens_ended after delete on provider_tokens
  for each row when (old.kind = 'ClientCredentials' and old.expires_at > now())
  execute function notify_client_token_ended();
