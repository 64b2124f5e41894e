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
  used_at timestamptz(3),
  -- Labels and values of the change, such as the device: [["Device", "Firefox 131 on Linux"]].
  facts jsonb not null default '[]'
);

create index notices_user on notices (user_id);
create index notices_by_time on notices (sent_at);

-- The users who receive no email about sign-ins on new devices.
create table new_device_opt_outs (
  user_id text primary key references users (id) on delete cascade
);
