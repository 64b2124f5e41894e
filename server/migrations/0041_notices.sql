-- A browser in which a user has signed in. A sign-in in another browser is reported to the user.
create table known_browsers (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  -- SHA-256 of the cookie, which is one for all users of the browser.
  token_hash text not null,
  last_sign_in_at timestamptz(3) not null default now(),
  unique (user_id, token_hash)
);

create index known_browsers_by_time on known_browsers (last_sign_in_at);

-- The browser in which a session, a grant or a personal token began: what the user ends if the sign-in was not theirs.
-- Null if it began before this migration, or without a browser.
alter table sessions add column browser_id text;
alter table provider_artifacts add column browser_id text;
alter table personal_tokens add column browser_id text;

-- An email about a change of an account, with a link that ends the sessions and tokens of the change: once, for 7 days.
create table notices (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  kind text not null,
  -- The change, in the words of the email.
  summary text not null,
  -- What the link ends: the sign-ins of a browser, a personal token or, if both are null, all sessions and tokens.
  browser_id text,
  personal_token_id text,
  -- SHA-256
  token_hash text not null unique,
  sent_at timestamptz(3) not null default now(),
  used_at timestamptz(3)
);

create index notices_user on notices (user_id);
create index notices_by_time on notices (sent_at);

-- The users who receive no email about sign-ins on new devices.
create table new_device_opt_outs (
  user_id text primary key references users (id) on delete cascade
);

create or replace view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash,
    s.browser_id
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
