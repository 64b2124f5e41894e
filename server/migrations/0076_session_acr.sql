-- The authentication context class that the identity provider stated (OpenID Connect Core, section 2); null for none.
alter table sessions add column acr text;

create or replace view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash,
    s.browser_id,
    -- The name of the organisation whose tenant is the identity provider; null for those of the configuration.
    case when s.idp like 'entra:%' then (
      select o.name from entra_connections c join orgs o on o.id = c.org_id where c.tenant_id::text = substr(s.idp, 7)
    ) end as org_name,
    s.acr
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
