-- One signed-in browser. The cookie holds the token whose hash is the key; `id` is what people see and revoke by.
create table sessions (
  token_hash text primary key,
  id text not null unique,
  user_id text not null references users (id),
  login_id text not null references logins (id) on delete cascade,
  idp text not null,
  auth_time timestamptz(3) not null,
  amr text[] not null default '{}',
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- The authorization request for which this authentication was made anew.
  interaction text,
  -- The session that the issuer keeps for the same browser.
  provider_session text,
  -- The sealed ID token of the identity provider, to be shown to it at sign-out.
  upstream_id_token text
);

create index sessions_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);

-- Everything a request must know of its caller, so that it costs one statement.
create view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
