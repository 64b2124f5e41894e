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
