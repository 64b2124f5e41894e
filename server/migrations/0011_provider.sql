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
  primary key (issuer, kind, id_hash)
);

create index provider_artifacts_account on provider_artifacts (account_id) where account_id is not null;
create index provider_artifacts_grant on provider_artifacts (grant_id) where grant_id is not null;
create index provider_artifacts_uid on provider_artifacts (uid) where uid is not null;
create index provider_artifacts_expiry on provider_artifacts (expires_at);
create unique index provider_artifacts_user_code on provider_artifacts (issuer, user_code_hash) where user_code_hash is not null;

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
  due_at timestamptz not null default now()
);

create index logout_notices_due on logout_notices (due_at);

-- Notifies servers of logouts to deliver.
create function notify_logout() returns trigger language plpgsql as $$
begin
  perform pg_notify('logout', '');
  return null;
end $$;

-- The access tokens of users who can sign in, with all that a request needs of its caller: it costs one statement. The
-- grant is required as well: a token that was issued while its grant ended must not outlive it.
create view token_callers as
  select a.id_hash, a.expires_at, u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts a
  join provider_artifacts g on g.issuer = a.issuer and g.kind = 'Grant' and g.expires_at > now()
    -- The hash under which a grant is stored: SHA-256 of its id, as base64url.
    and g.id_hash = rtrim(translate(encode(sha256(convert_to(a.grant_id, 'UTF8')), 'base64'), '+/', '-_'), '=')
  join users u on u.id = a.account_id
  where a.issuer = 'passport' and a.kind = 'AccessToken' and u.disabled_at is null and u.deleted_at is null;

create trigger logout_notices_added after insert on logout_notices
  for each statement execute function notify_logout();
