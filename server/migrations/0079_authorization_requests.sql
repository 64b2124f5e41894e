-- What an authorization request and the redemption of a code read, each in one statement.

/* The hash under which an artifact is stored: SHA-256 of its id, as base64url. */
create function artifact_hash(id text) returns text language sql immutable parallel safe
  return rtrim(translate(encode(sha256(convert_to(id, 'UTF8')), 'base64'), '+/', '-_'), '=');

create view issuer_sessions as
  select id_hash, uid, payload, sealed_id from provider_artifacts
  where issuer = 'passport' and kind = 'Session' and expires_at > now();

create view issuer_grants as
  select id_hash, payload from provider_artifacts
  where issuer = 'passport' and kind = 'Grant' and expires_at > now();

create view pending_interactions as
  select id_hash, payload from provider_artifacts
  where issuer = 'passport' and kind = 'Interaction' and expires_at > now();

create view issuer_codes as
  select id_hash, payload, account_id, consumed_at from provider_artifacts
  where issuer = 'passport' and kind = 'AuthorizationCode' and expires_at > now();

-- The session of a browser with its user, without the roles and organisations that pages need.
create view authorization_callers as
  select
    s.token_hash, s.expires_at, s.last_seen_at, s.login_id, s.browser_id, s.auth_time, s.amr, s.acr, s.provider_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;

create view code_users as
  select id, username, display_name, email, email_verified, disabled_at from users where deleted_at is null;

-- The link between the session of a browser and that of the issuer.
create view session_bindings as select token_hash, provider_session from sessions;
