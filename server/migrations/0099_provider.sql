-- The expiry of a token that is found by its id needs no index. Before the first statistics of a table the planner would
-- combine both indexes, and read all tokens that have not expired; it does not use an index for `is true`.
create or replace view live_artifacts as
  select t.kind, t.id_hash, t.payload, g.payload as grant_payload,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts t
  left join provider_artifacts g on g.issuer = 'passport' and g.kind = 'Grant' and (g.expires_at > now()) is true
    and g.id_hash = artifact_hash(t.grant_id)
    and g.account_id = t.account_id and g.payload ->> 'clientId' = t.payload ->> 'clientId'
  left join users u on u.id = t.account_id and u.disabled_at is null and u.deleted_at is null
  where t.issuer = 'passport' and t.kind in ('AuthorizationCode', 'AccessToken', 'ClientCredentials', 'RefreshToken')
    and t.consumed_at is null and (t.expires_at > now()) is true
    and (t.kind = 'ClientCredentials' or (g.id_hash is not null and u.id is not null))
    and (
      t.payload -> 'expiresWithSession' is distinct from 'true'
      or exists (
        select from provider_artifacts s
        where s.issuer = 'passport' and s.kind = 'Session' and (s.expires_at > now()) is true
          and s.uid = t.payload ->> 'sessionUid' and s.account_id = t.account_id
          and s.payload #>> array['authorizations', t.payload ->> 'clientId', 'grantId'] = t.grant_id
      )
    );

create or replace view issuer_codes as
  select id_hash, payload, account_id, consumed_at from provider_artifacts
  where issuer = 'passport' and kind = 'AuthorizationCode' and (expires_at > now()) is true;
