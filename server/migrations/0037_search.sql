-- The records that administrators find by typing. Each kind has a view of its own, which is read in the order of its index.
-- `handle` is another name, which matches as a whole only.

create view findable_users as
  select id, coalesce(display_name, username, email, id) as name, coalesce(email, username) as detail,
    lower(username) as handle, lower(email) as email, sort_name, search_words
  from users where deleted_at is null;

create view findable_orgs as
  select id, name, slug as detail, lower(slug) as handle, sort_name, search_words from orgs where deleted_at is null;

create view findable_groups as
  select id, name, nullif(description, '') as detail, sort_name, search_words from groups where deleted_at is null;

create view findable_roles as
  select name as id, name, nullif(description, '') as detail, lower(name) as handle, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || description) as search_words
  from roles;

-- Applications, found by a part of their name or by their client id.
create view findable_clients as
  select client_id as id, name, client_id as detail, client_id as handle, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || client_id) as search_words
  from clients where deleted_at is null;
