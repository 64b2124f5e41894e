-- The columns by which lists of groups are sorted.
create or replace view groups_listed as
  select id, sort_name, org_id, search_words, member_count, updated_at from groups where deleted_at is null;

create index groups_by_members on groups (member_count, id) where deleted_at is null;
create index groups_listed_by_update on groups (updated_at, id) where deleted_at is null;
