-- A sign-up that waits for the code from its mail, and then for the first sign-in. A browser has one.
create table directory_sign_ups (
  -- Of the cookie of the browser.
  token_hash text primary key,
  email text not null,
  display_name text not null,
  -- argon2id.
  password_hash text not null,
  -- Of the code and the token. Null if the address had an account: then no code is right.
  code_hash text,
  code_expires_at timestamptz(3) not null,
  -- Since the last mail.
  wrong_codes integer not null default 0,
  return_to text not null,
  -- The id of the pending authorization request.
  interaction text,
  -- The user that the right code created.
  person_id text references directory_people (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);

create index directory_sign_ups_by_expiry on directory_sign_ups (expires_at);
create index directory_sign_ups_person on directory_sign_ups (person_id);
create index directory_people_by_email on directory_people (lower(email));
