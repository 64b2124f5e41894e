-- Searches find names as people type them, and users by the parts of their addresses (docs/decisions/0106-searches-fold-letters.md).

-- Returns a text as it is searched and sorted: in lower case, without accents, apostrophes and invisible characters. Letters that
-- Unicode does not decompose become the Latin ones of passports (ICAO Doc 9303, part 3, section 6), or those that look alike.
create or replace function plain_text(text) returns text language sql immutable parallel safe strict
begin atomic
  select replace(replace(replace(replace(replace(
    translate(
      lower(regexp_replace(normalize(translate($1, '´', ''''), NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff''’‘ʼʻʹ′`]',
        '', 'g')),
      'øłđðħıŋŧəςɓɗɖɛɔɲƙƴ', 'olddhinteσbddeonky'),
    'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
end;

-- Returns a text with a space before each Chinese character and Korean syllable: such names have none between their parts.
create function syllables_of(text) returns text language sql immutable parallel safe strict
begin atomic
  select regexp_replace(normalize($1, NFC), '[\u3400-\u9fff\uac00-\ud7a3]', ' \&', 'g');
end;

-- Returns a text with the letters that some write as two, such as ö as oe, and with apostrophes as spaces.
create function spelled_out(text) returns text language sql immutable parallel safe strict
begin atomic
  select replace(replace(replace(replace(replace(
    translate(lower(normalize($1, NFC)), '''’‘ʼʻʹ′`´', '         '),
    'ä', 'ae'), 'ö', 'oe'), 'ø', 'oe'), 'ü', 'ue'), 'å', 'aa');
end;

-- Returns the words of a text, each to be found by its prefix: `to_tsquery('simple', 'ana:*')`. A name such as Jörg O'Neil has
-- the words jorg, joerg, oneil, o and neil. Only strict expressions: otherwise it would not be inlined.
create or replace function words_of(text) returns tsvector language sql immutable parallel safe strict
begin atomic
  select to_tsvector('simple'::regconfig, regexp_replace(
    plain_text(syllables_of($1 || ' ' || spelled_out($1))), '[^[:alnum:]]+', ' ', 'g'));
end;

-- Returns the words of an email address, and its domain after an `@`, with a full stop for each separator: of
-- ana@lab-nord.example ana, lab, nord, example and @lab.nord.example.
create function words_of_address(text) returns tsvector language sql immutable parallel safe strict
begin atomic
  select array_to_tsvector(
    array_remove(regexp_split_to_array(plain_text($1), '[^[:alnum:]]+'), '')
    || case when $1 ~ '@.*[[:alnum:]]'
      then array['@' || trim('.' from regexp_replace(regexp_replace(plain_text($1), '^.*@', ''), '[^[:alnum:]]+', '.', 'g'))]
      else '{}'::text[] end);
end;

alter table users
  add column address_words tsvector not null generated always as (words_of_address(coalesce(email, ''))) stored;
-- The words of users have a table, which finds them in order.
drop index users_search;

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

-- Writes the rows of `user_words` and `user_address_words` for new users.
create or replace function add_user_words() returns trigger language plpgsql set search_path from current as $$
begin
  insert into user_words select w.* from added u cross join lateral words_of_user(u) w;
  insert into user_address_words select w.* from added u cross join lateral address_words_of_user(u) w;
  return null;
end $$;

-- Rewrites them for a changed user.
create or replace function replace_user_words() returns trigger language plpgsql set search_path from current as $$
begin
  delete from user_words where user_id = old.id;
  delete from user_address_words where user_id = old.id;
  insert into user_words select * from words_of_user(new);
  insert into user_address_words select * from address_words_of_user(new);
  return null;
end $$;

-- The columns that are generated by the former functions.
alter table users disable trigger user;
update users set display_name = display_name, username = username, email = email;
alter table users enable trigger user;
delete from user_words;
insert into user_words select w.* from users u cross join lateral words_of_user(u) w;
insert into user_address_words select w.* from users u cross join lateral address_words_of_user(u) w;

drop trigger users_words_changed on users;
create trigger users_words_changed after update on users for each row
  when (
    old.search_words is distinct from new.search_words or old.address_words is distinct from new.address_words
    or old.sort_name is distinct from new.sort_name
    or (old.deleted_at is null) is distinct from (new.deleted_at is null) or old.id is distinct from new.id)
  execute function replace_user_words();

alter table groups disable trigger user;
update groups set name = name, description = description;
alter table groups enable trigger user;
delete from group_words;
insert into group_words select w.* from groups g cross join lateral words_of_group(g) w;

alter table orgs disable trigger user;
update orgs set name = name, slug = slug;
alter table orgs enable trigger user;

alter table entitlements disable trigger user;
update entitlements set name = name, key = key;
alter table entitlements enable trigger user;

drop index mails_search;
alter table mails drop column search_words;
alter table mails add column search_words tsvector not null generated always as (words_of_address(recipient)) stored;
create index mails_search on mails using gin (search_words);

create or replace view listed_users as
  select id, username, email, sort_name, search_words, created_at, activated_at, last_sign_in_at, disabled_at, address_words
  from users where deleted_at is null;

create or replace view profiles as
  select u.id, u.username, u.display_name, u.email, u.disabled_at, u.created_at, u.updated_at, u.version, u.sort_name,
    u.search_words, a.png_hash, a.png_source, a.glb_hash, a.glb_source, a.updated_at as avatar_updated_at, u.address_words
  from users u left join avatars a on a.user_id = u.id
  where u.deleted_at is null;
