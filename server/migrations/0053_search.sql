-- What administrators find by typing. `handle` is another name that is whole or not at all.
create view findable_records as
  select 'user' as kind, id, coalesce(display_name, username, email, id) as name, coalesce(email, username) as detail,
    lower(username) as handle, lower(email) as email, sort_name, search_words
  from users where deleted_at is null
  union all
  select 'org', id, name, slug, lower(slug), null, sort_name, search_words from orgs where deleted_at is null
  union all
  select 'group', id, name, nullif(description, ''), null, null, sort_name, search_words from groups where deleted_at is null
  union all
  select 'role', name, name, nullif(description, ''), lower(name), null, plain_text(name) collate "C", words_of(name || ' ' || description)
  from roles;
