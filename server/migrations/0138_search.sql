-- Returns the words of addresses with a prefix. The planner estimates their number, as it cannot for `users_by_address_words`,
-- which joins the words to a list of prefixes.
create function address_words_beginning(beginning text) returns setof user_address_words language sql stable
begin atomic
  select w.* from user_address_words w
  where beginning <> '' and w.word >= left(beginning, 64) collate "C" and w.word < left(beginning, 64) || chr(1114109);
end;
