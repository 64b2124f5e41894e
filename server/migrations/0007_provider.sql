-- What the two issuers of this server sign with. Private keys are sealed.
create table signing_keys (
  kid text primary key,
  issuer text not null,
  alg text not null,
  sealed_jwk text not null,
  created_at timestamptz(3) not null default now(),
  -- Published from its creation, it signs from here on until a newer one does.
  signs_from timestamptz(3) not null
);

create index signing_keys_issuer on signing_keys (issuer, alg, signs_from);

-- Codes, tokens, grants, sessions and interactions of the issuers. Ids are hashed: whoever reads the table can use none.
create table provider_artifacts (
  issuer text not null,
  kind text not null,
  id_hash text not null,
  payload jsonb not null,
  -- The id itself, sealed, where something must be found by another key and then be used by its id.
  sealed_id text,
  account_id text,
  grant_id text,
  uid text,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (issuer, kind, id_hash)
);

create index provider_artifacts_account on provider_artifacts (account_id) where account_id is not null;
create index provider_artifacts_grant on provider_artifacts (grant_id) where grant_id is not null;
create index provider_artifacts_uid on provider_artifacts (uid) where uid is not null;
create index provider_artifacts_expiry on provider_artifacts (expires_at);

-- Everything a request with an access token must know of its caller, so that it costs one statement.
create view token_callers as
  select a.id_hash, a.expires_at, u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles
  from provider_artifacts a
  join users u on u.id = a.account_id
  where a.issuer = 'passport' and a.kind = 'AccessToken' and u.disabled_at is null and u.deleted_at is null;
