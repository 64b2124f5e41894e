-- SCIM clients sort by the display name that they sent, as they filter by it. That of the account would show them, by the order
-- and in the cursor, what others call a user with other logins, organisations or roles.
create or replace view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id, s.user_name, s.created_at,
    s.updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(s.attributes ->> 'displayName', s.user_name)) collate "C" as sort_display_name, s.governs, s.object_id
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;
