-- Letters as people search and sort by them: lower case, without accents.
create function plain_text(text) returns text language sql immutable parallel safe strict as
  $$ select lower(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f]', '', 'g')) $$;

-- The words of some texts, each findable by its beginning: `to_tsquery('simple', 'ana:*')`.
create function words_of(text) returns tsvector language sql immutable parallel safe strict as
  $$ select to_tsvector('simple'::regconfig, regexp_replace(plain_text($1), '[^[:alnum:]]+', ' ', 'g')) $$;

alter table users
  -- Nobody has come in by this account yet: it was made for someone.
  add column activated_at timestamptz(3),
  add column last_sign_in_at timestamptz(3),
  -- What a deleted person was part of, to be given back with them.
  add column left_behind jsonb,
  add column sort_name text collate "C" not null
    generated always as (plain_text(coalesce(display_name, username, email, id))) stored,
  add column search_words tsvector not null
    generated always as (words_of(coalesce(display_name, '') || ' ' || coalesce(username, ''))) stored;

update users set
  activated_at = (select min(linked_at) from logins where user_id = users.id),
  last_sign_in_at = (select max(last_used_at) from logins where user_id = users.id);

create index users_by_name on users (sort_name, id) where deleted_at is null;
create index users_by_creation on users (created_at, id) where deleted_at is null;
create index users_by_last_sign_in on users (coalesce(last_sign_in_at, '-infinity'), id) where deleted_at is null;
create index users_by_email on users (lower(email)) where deleted_at is null;
create index users_disabled on users (sort_name, id) where deleted_at is null and disabled_at is not null;
create index users_invited on users (sort_name, id) where deleted_at is null and activated_at is null;
create index users_deleted on users (deleted_at, id) where deleted_at is not null;
create index users_search on users using gin (search_words) where deleted_at is null;
