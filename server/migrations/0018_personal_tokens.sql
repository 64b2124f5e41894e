-- A personal token: a credential that a user created for their own programs. Revoking deletes it.
create table personal_tokens (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  -- SHA-256
  token_hash text not null unique,
  -- The first characters of the value, by which its user recognises it.
  start text not null,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- To the minute.
  last_used_at timestamptz(3),
  last_used_ip text,
  -- The client that introspected it; null for a call to the API of this server.
  last_used_client text,
  -- The browser in which it was created, as in `sessions`.
  browser_id text,
  -- When its user was reminded that it expires soon; null if that is not due, or is due.
  reminded_at timestamptz(3),
  -- The login of the session in which it was created: the token ends with it. Null if it is unknown: such a token ends with the
  -- last login of the account.
  login_id text
);

create index personal_tokens_user on personal_tokens (user_id);
create index personal_tokens_expiry on personal_tokens (expires_at);
create index personal_tokens_to_remind on personal_tokens (expires_at) where reminded_at is null;

-- The personal tokens of users who can sign in, with all that a request needs of its caller: it costs one statement.
create view personal_token_callers as
  select t.token_hash, t.id as token_id, t.scopes, t.created_at, t.expires_at, t.last_used_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from personal_tokens t
  join users u on u.id = t.user_id
  where u.disabled_at is null and u.deleted_at is null;
