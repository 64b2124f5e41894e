-- A user. Ids are UUIDv7, opaque to callers.
create table users (
  id text primary key,
  username text,
  display_name text,
  email text,
  email_verified boolean not null default false,
  disabled_at timestamptz(3),
  -- Set while the user is in the trash.
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  -- When the account got its first login; null for an account that was created for an expected user.
  activated_at timestamptz(3),
  last_sign_in_at timestamptz(3),
  -- The roles and memberships of a deleted user, which a restore adds again.
  left_behind jsonb,
  sort_name text collate "C" not null
    generated always as (plain_text(coalesce(display_name, username, email, id))) stored,
  search_words tsvector not null
    generated always as (words_of(coalesce(display_name, '') || ' ' || coalesce(username, ''))) stored,
  -- The organisation that vouched for a verified address: by its SCIM clients or its tenant, at a domain that it has verified.
  -- Null if the user proved the address or an administrator stated it, and for an unverified address. The organisation may be
  -- gone, or no longer have the domain: it counts as another one than the owner of the domain then.
  email_verified_by text,
  address_words tsvector not null generated always as (words_of_address(coalesce(email, ''))) stored,
  constraint users_email_verified check (email is not null or not email_verified),
  constraint users_email_verified_by check (email_verified or email_verified_by is null)
);

create unique index users_username on users (lower(username)) where deleted_at is null;
create index users_by_name on users (sort_name, id) where deleted_at is null;
create index users_by_creation on users (created_at, id) where deleted_at is null;
create index users_by_last_sign_in on users (coalesce(last_sign_in_at, '-infinity'), id) where deleted_at is null;
create index users_by_email on users (lower(email)) where deleted_at is null;
create index users_disabled on users (sort_name, id) where deleted_at is null and disabled_at is not null;
create index users_deleted on users (deleted_at, id) where deleted_at is not null;
-- A disabled user is listed as disabled only.
create index users_invited on users (sort_name, id)
  where deleted_at is null and disabled_at is null and activated_at is null;
create index users_active on users (sort_name, id)
  where deleted_at is null and disabled_at is null and activated_at is not null;
create index users_vouched_by_domain on users (lower(split_part(email, '@', 2))) where email_verified_by is not null;

-- One row. A transaction that assigns emails locks it until its end, so that one of two transactions gets an email. A
-- unique index cannot replace it: identity providers may report the same email for two users.
create table user_email_lock (
  is_there boolean primary key default true check (is_there)
);

insert into user_email_lock default values;

-- A word by which a user is found, with the position of the user in lists by name. The index alone finds and sorts all
-- users of a word: a row of `users` is read only for those that are shown.
create table user_words (
  user_id text not null references users (id) on delete cascade,
  -- At most 64 characters.
  word text collate "C" not null,
  -- At most 300 characters.
  sort_name text collate "C" not null,
  -- All words of the user; null above 250 characters, because an index entry holds some 2,700 bytes.
  words text collate "C"
);

create index user_words_by_word on user_words (word, sort_name, user_id) include (words);
create index user_words_user on user_words (user_id);

-- A change of many users that can be undone for a short time.
create table user_undos (
  token_hash text primary key,
  action text not null,
  -- The role that was granted or removed; null for other actions.
  role text,
  -- The id of the only user who may undo it.
  done_by text not null,
  expires_at timestamptz(3) not null
);

create index user_undos_expiry on user_undos (expires_at);

-- A user whom the change affected.
create table user_undo_rows (
  token_hash text not null references user_undos (token_hash) on delete cascade,
  user_id text not null,
  -- The version of the user after the change. With another version, the user has changed since.
  version bigint not null,
  undone_at timestamptz(3),
  primary key (token_hash, user_id)
);

-- An import of users from a file. It is applied in batches, whose progress is in the rows: any process can continue it.
create table user_imports (
  id text primary key,
  state text not null check (state in ('checked', 'applying', 'applied', 'takingBack', 'takenBack')),
  -- The id of the user who started the current phase.
  created_by text not null,
  row_count integer not null default 0,
  -- Address, user agent and trace id of the call that started the current phase, for the audit.
  visit jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- How its file was read.
  file jsonb
);

create index user_imports_at_work on user_imports (id) where state in ('applying', 'takingBack');
create index user_imports_by_creation on user_imports (created_at);

-- A line of the file.
create table user_import_rows (
  import_id text not null references user_imports (id) on delete cascade,
  line integer not null,
  -- The user that the line describes.
  person jsonb not null,
  -- `kept`: the user had changed since the import, so that undoing it left them.
  state text not null default 'valid' check (state in ('valid', 'faulty', 'added', 'takenBack', 'kept')),
  -- The added user, with their version after the import; null before.
  user_id text,
  version bigint,
  -- All errors of a row, as `RowError` of the contract describes them without the line.
  errors jsonb not null default '[]',
  primary key (import_id, line)
);

create index user_import_rows_state on user_import_rows (import_id, state, line);

-- A word of a user's email address that the name has not, with the same position. The rows are apart from those of names, which
-- most searches read, and which other callers than administrators search.
create table user_address_words (
  user_id text not null references users (id) on delete cascade,
  -- At most 64 characters.
  word text collate "C" not null,
  -- At most 300 characters.
  sort_name text collate "C" not null,
  -- All words of the name, as in `user_words`; null above 250 characters.
  name_words text collate "C",
  -- The words of the address that the name has not, and the domain: 'zhang12@lab.example'. Null above 150 characters.
  address text collate "C"
);

create index user_address_words_by_word on user_address_words (word, sort_name, user_id) include (name_words, address);
create index user_address_words_user on user_address_words (user_id);

-- Returns the rows of `user_words` for a user; none for a deleted user.
create function words_of_user(u users) returns setof user_words language sql stable
begin atomic
  select distinct u.id, left(word, 64), left(u.sort_name, 300), case when length(all_words) <= 250 then ' ' || all_words end
  from unnest(tsvector_to_array(u.search_words)) word, array_to_string(tsvector_to_array(u.search_words), ' ') all_words
  where u.deleted_at is null;
end;

-- Returns the words with the prefix `beginning` of the users who also have a word with each of the prefixes `others`. The
-- longest prefix is best as `beginning`.
create function user_words_matching(beginning text, others text[]) returns setof user_words language sql stable
begin atomic
  select w.* from user_words w
  where beginning <> '' and w.word >= left(beginning, 64) collate "C" and w.word < left(beginning, 64) || chr(1114109)
    and (others = '{}' or (
      select bool_and(coalesce(position(' ' || left(o, 64) in w.words) > 0, exists (
        select from user_words x where x.user_id = w.user_id and x.word >= left(o, 64) collate "C" and x.word < left(o, 64) || chr(1114109))))
      from unnest(others) o));
end;

-- Returns the users who have words with all these prefixes, each once: of several matching words the first one counts.
create function users_by_words(beginning text, others text[]) returns table (user_id text, sort_name text)
  language sql stable
begin atomic
  select w.user_id, w.sort_name from user_words_matching(beginning, others) w
  -- An inequality: the planner expects it to match a third of the rows, and an equality one in 200.
  where coalesce(position(' ' || left(beginning, 64) in w.words) >= position(' ' || w.word || ' ' in w.words || ' '), not exists (
    select from user_words x where x.user_id = w.user_id and x.word >= left(beginning, 64) collate "C" and x.word < w.word));
end;

-- Writes the rows of `user_words` and `user_address_words` for new users.
create function add_user_words() returns trigger language plpgsql set search_path from current as $$
begin
  insert into user_words select w.* from added u cross join lateral words_of_user(u) w;
  insert into user_address_words select w.* from added u cross join lateral address_words_of_user(u) w;
  return null;
end $$;

-- Rewrites the rows of `user_words` and `user_address_words` for a changed user.
create function replace_user_words() returns trigger language plpgsql set search_path from current as $$
begin
  delete from user_words where user_id = old.id;
  delete from user_address_words where user_id = old.id;
  insert into user_words select * from words_of_user(new);
  insert into user_address_words select * from address_words_of_user(new);
  return null;
end $$;

-- Returns the rows of `user_address_words` for a user; none for a deleted user.
create function address_words_of_user(u users) returns setof user_address_words language sql stable
begin atomic
  with words as (
    select unnest(tsvector_to_array(u.address_words)) as word except select unnest(tsvector_to_array(u.search_words))
  ),
  lists as (
    select ' ' || array_to_string(tsvector_to_array(u.search_words), ' ') as name_words,
      coalesce((
        select string_agg(word, '.') from words
        where not starts_with(word, '@') and word <> all (string_to_array(substr(d.domain, 2), '.'))
      ), '') || d.domain as address
    from (select coalesce((select word from words where starts_with(word, '@')), '') as domain) d
  )
  select distinct u.id, left(w.word, 64), left(u.sort_name, 300), case when length(l.name_words) <= 251 then l.name_words end,
    case when length(l.address) <= 150 then l.address end
  from words w cross join lists l
  where u.deleted_at is null;
end;

-- Returns the users who have words with all these prefixes, at least one of them only in their address, each once: of several
-- such prefixes, and of several words with one, the first counts.
create function users_by_address_words(prefixes text[]) returns table (user_id text, sort_name text) language sql stable
begin atomic
  select w.user_id, w.sort_name
  from unnest(prefixes) with ordinality p (prefix, position)
  join user_address_words w
    on p.prefix <> '' and w.word >= left(p.prefix, 64) collate "C" and w.word < left(p.prefix, 64) || chr(1114109)
  where coalesce(position(' ' || left(p.prefix, 64) in w.name_words) = 0, not exists (
      select from user_words x where x.user_id = w.user_id and x.word >= left(p.prefix, 64) collate "C" and x.word < left(p.prefix, 64) || chr(1114109)))
    and (starts_with(p.prefix, '@') or coalesce(
      position('.' || left(p.prefix, 64) in '.' || translate(w.address, '@', '.'))
        >= position('.' || w.word || '.' in '.' || translate(w.address, '@', '.') || '.'),
      not exists (
        select from user_address_words x where x.user_id = w.user_id and x.word >= left(p.prefix, 64) collate "C" and x.word < w.word)))
    and not exists (
      select from unnest(prefixes) with ordinality o (prefix, position)
      where o.position <> p.position and not coalesce(position(' ' || left(o.prefix, 64) in w.name_words) > 0, exists (
        select from user_words x where x.user_id = w.user_id and x.word >= left(o.prefix, 64) collate "C" and x.word < left(o.prefix, 64) || chr(1114109)))
        and (o.position < p.position or not coalesce(
          case when starts_with(o.prefix, '@') then position(left(o.prefix, 64) in w.address)
            else position('.' || left(o.prefix, 64) in '.' || translate(w.address, '@', '.')) end > 0,
          exists (
            select from user_address_words x
            where x.user_id = w.user_id and x.word >= left(o.prefix, 64) collate "C" and x.word < left(o.prefix, 64) || chr(1114109)))));
end;

-- Returns the words of addresses with a prefix. The planner estimates their number, as it cannot for `users_by_address_words`,
-- which joins the words to a list of prefixes.
create function address_words_beginning(beginning text) returns setof user_address_words language sql stable
begin atomic
  select w.* from user_address_words w
  where beginning <> '' and w.word >= left(beginning, 64) collate "C" and w.word < left(beginning, 64) || chr(1114109);
end;

create trigger users_words_added after insert on users
  referencing new table as added for each statement execute function add_user_words();
create trigger users_words_changed after update on users for each row
  when (
    old.search_words is distinct from new.search_words or old.address_words is distinct from new.address_words
    or old.sort_name is distinct from new.sort_name
    or (old.deleted_at is null) is distinct from (new.deleted_at is null) or old.id is distinct from new.id)
  execute function replace_user_words();
