-- The caller's organisations come with the same statement as the rest of what a request must know.
create or replace view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
