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
  upstream_id_token text
);

create index sessions_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_by_provider_session on sessions (provider_session) where provider_session is not null;

-- The sessions of users who can sign in, with all that a request needs of its caller: it costs one statement.
create view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
