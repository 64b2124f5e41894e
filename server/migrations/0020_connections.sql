-- An account of a user at another service, proven by its owner. It is no way to sign in.
create table connections (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  -- The id of a connector, such as `metahorizon`.
  connector text not null,
  -- The id of the account at the service.
  external_id text not null,
  -- The name of the account at the service, as of the connection.
  label text not null,
  linked_at timestamptz(3) not null default now(),
  unique (connector, external_id),
  unique (user_id, connector)
);

-- A connection that a session has started, until it is confirmed; at most one of each connector.
create table pending_connections (
  session_id text not null references sessions (id) on delete cascade,
  connector text not null,
  -- SHA-256 of the cookie.
  handle_hash text not null,
  expires_at timestamptz(3) not null,
  -- When the response of the service arrived. A second one is rejected.
  answered_at timestamptz(3),
  -- The account to confirm; null until the response is redeemed.
  link_id text unique,
  external_id text,
  label text,
  -- Whether the service has rejected the request of a connection, so that the next start leaves out what it may not know.
  is_refused boolean not null default false,
  primary key (session_id, connector)
);

-- The last move of an account from one user to another. A further move replaces it, so that it can no longer be undone.
create table connection_moves (
  connector text not null,
  external_id text not null,
  from_user_id text not null references users (id) on delete cascade,
  to_user_id text not null references users (id) on delete cascade,
  moved_at timestamptz(3) not null default now(),
  -- SHA-256 of the token in the notice to the former owner; null once it is used.
  undo_token_hash text unique,
  primary key (connector, external_id)
);

create index connection_moves_from on connection_moves (from_user_id);
create index connection_moves_to on connection_moves (to_user_id);
create index connection_moves_by_time on connection_moves (moved_at);

-- The users that the id of a connected account such as `metahorizon:5978973908802860` finds: in the list of users, and in
-- the quick search.
create view connected_users as
  select user_id, connector, external_id from connections;

create view findable_connections as
  select user_id, connector, external_id from connections;
