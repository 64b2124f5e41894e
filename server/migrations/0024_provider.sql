create or replace view token_callers as
  select a.id_hash, a.expires_at, u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts a
  join provider_artifacts g on g.issuer = a.issuer and g.kind = 'Grant' and g.expires_at > now()
    -- The name under which a grant is stored: SHA-256 of its id, as base64url.
    and g.id_hash = rtrim(translate(encode(sha256(convert_to(a.grant_id, 'UTF8')), 'base64'), '+/', '-_'), '=')
  join users u on u.id = a.account_id
  where a.issuer = 'passport' and a.kind = 'AccessToken' and u.disabled_at is null and u.deleted_at is null;
