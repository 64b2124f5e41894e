-- A user of the built-in identity provider. `id` is their `sub` there.
create table directory_people (
  id text primary key,
  -- In lower case.
  name text not null unique,
  display_name text not null,
  email text not null,
  -- argon2id.
  password_hash text not null,
  -- A demo user. A server that other machines can reach does not start with demo users.
  is_cast boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  -- Whether the user has proven the email. By an enrolment link that was handed over they have not.
  email_verified boolean not null default true
);

create index directory_people_by_email on directory_people (lower(email));
-- The demo users, whom the sign-in page of a local installation lists.
create index directory_people_demo on directory_people (name) where is_cast;

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

-- Notifies servers, which remember the demo users that the sign-in page offers.
create function notify_demo_users_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('demo_users', '');
  return null;
end $$;

create trigger demo_user_added after insert on directory_people
  for each row when (new.is_cast) execute function notify_demo_users_changed();
create trigger demo_user_removed after delete on directory_people
  for each row when (old.is_cast) execute function notify_demo_users_changed();
