-- Applications, found by a part of their name or by their client id.
create view findable_clients as
  select client_id as id, name, client_id as detail, client_id as handle, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || client_id) as search_words
  from clients;
