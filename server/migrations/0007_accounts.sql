-- A login: the link between a user and their identity at a provider. It is found by issuer and subject, never by email.
create table logins (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  provider_id text not null,
  issuer text not null,
  subject text not null,
  -- The email or name at the provider, as of the last sign-in.
  label text not null,
  linked_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  -- What the account has from the provider of this login, as of the last sign-in: {"email", "emailVerified", "displayName"}.
  -- Null for a login that gives the account nothing, because it was linked later. What differs in the account was changed by
  -- others.
  given jsonb,
  unique (issuer, subject)
);

create index logins_user on logins (user_id, linked_at);
create index logins_subject on logins (subject);
create index logins_provider on logins (provider_id, user_id);

-- A session: a sign-in in one browser. The cookie contains the token. `id` is not secret: users revoke sessions by it.
create table sessions (
  token_hash text primary key,
  id text not null unique,
  user_id text not null references users (id) on delete cascade,
  login_id text not null references logins (id) on delete cascade,
  -- The id of the identity provider.
  idp text not null,
  -- When the identity provider authenticated the user; 1970 if it does not say.
  auth_time timestamptz(3) not null,
  amr text[] not null default '{}',
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- The authorization request that required this authentication; null without one.
  interaction text,
  -- The `uid` of the session that the issuer keeps for the same browser; null until there is one.
  provider_session text,
  -- The sealed ID token of the identity provider, which it receives at sign-out; null if it issued none.
  upstream_id_token text,
  -- The browser in which it began: what the user ends if the sign-in was not theirs. Null without a browser.
  browser_id text,
  -- The authentication context class that the identity provider stated (OpenID Connect Core, section 2); null for none.
  acr text
);

create index sessions_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_by_provider_session on sessions (provider_session) where provider_session is not null;
-- Idle sessions, for the job that removes them.
create index sessions_idle on sessions (last_seen_at);

-- What a user allowed a client. Its tokens are found by the user and the client.
create table consents (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  granted_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  unique (user_id, client_id)
);
