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
  unique (issuer, subject)
);

create index logins_user on logins (user_id, linked_at);
create index logins_subject on logins (subject);
create index logins_provider on logins (provider_id, user_id);
