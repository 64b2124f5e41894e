create index orgs_by_creation on orgs (created_at, id) where deleted_at is null;
create index orgs_by_members on orgs (member_count, id) where deleted_at is null;

-- Those who run an organisation come first in its list of people.
alter table org_members
  add column rank smallint not null
    generated always as (case role when 'owner' then 0 when 'admin' then 1 else 2 end) stored;

create index org_members_by_rank on org_members (org_id, rank, added_at, user_id);

-- People of organisations by the names that everyone may know, for their lists: who runs one can add anybody.
create view org_people as
  select m.org_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as name, u.username, m.role,
    m.rank, m.added_at as since, u.search_words
  from org_members m join users u on u.id = m.user_id;

-- Organisations as they are read.
create view org_rows as
  select id, name, slug, kind, member_count, created_at, updated_at, deleted_at, version::integer, sort_name, search_words
  from orgs;
