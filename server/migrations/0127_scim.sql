-- The address of the user as the client stated it last, in lower case, valid or not. It is unique in the organisation: whether
-- the account got it would say which domains other organisations have verified.
alter table scim_users add column stated_email text;

-- As choosePrimary of `scim/user-values.ts` does.
update scim_users s set stated_email = (
  select lower(trim(email ->> 'value')) from jsonb_array_elements(s.attributes -> 'emails') with ordinality as e (email, position)
  order by (email ->> 'primary') is not distinct from 'true' desc, (email ->> 'type') is not distinct from 'work' desc, position
  limit 1)
where jsonb_typeof(s.attributes -> 'emails') = 'array';

create index scim_users_stated_email on scim_users (org_id, stated_email);

create or replace view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id::text as external_id, s.user_name, s.created_at,
    s.updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(u.display_name, s.user_name)) collate "C" as sort_display_name, s.governs, s.stated_email
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;
