-- What an application exchanges for tokens, spent or not, with everything that decides about the exchange, and what the
-- tokens say about the user. Every row is found by its key, as in `live_artifacts`.
create view grant_sources as
  select t.kind, t.id_hash, t.payload, t.grant_id,
    extract(epoch from now() - t.consumed_at)::float8 as spent_seconds,
    client.version as client_version,
    g.id_hash is not null and (t.created_at >= client.not_before) is true as has_grant,
    t.payload -> 'expiresWithSession' is distinct from 'true' or exists (
      select from provider_artifacts s
      where s.issuer = 'passport' and s.kind = 'Session' and (s.expires_at > now()) is true
        and s.uid = t.payload ->> 'sessionUid' and s.account_id = t.account_id
        and s.payload #>> array['authorizations', t.payload ->> 'clientId', 'grantId'] = t.grant_id
    ) as has_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts t
  left join lateral (
    select version, not_before from usable_clients c where c.client_id = t.payload ->> 'clientId' limit 1
  ) as client on true
  left join lateral (
    select id_hash from provider_artifacts a
    where a.issuer = 'passport' and a.kind = 'Grant' and (a.expires_at > now()) is true
      and a.id_hash = artifact_hash(t.grant_id)
      and a.account_id = t.account_id and a.payload ->> 'clientId' = t.payload ->> 'clientId'
    limit 1
  ) as g on true
  left join lateral (
    select id, username, display_name, email, email_verified from users a
    where a.id = t.account_id and a.disabled_at is null and a.deleted_at is null
    limit 1
  ) as u on true
  where t.issuer = 'passport' and t.kind in ('AuthorizationCode', 'DeviceCode', 'RefreshToken')
    and (t.expires_at > now()) is true;
