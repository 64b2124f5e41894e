-- The ways into an account: one person at one identity provider. Accounts are never joined by e-mail.
create table logins (
  id text primary key,
  user_id text not null references users (id),
  provider_id text not null,
  issuer text not null,
  subject text not null,
  label text not null,
  linked_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  unique (issuer, subject)
);

create index logins_user on logins (user_id, linked_at);
