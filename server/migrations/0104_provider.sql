-- Every row is found by its key, whatever the planner knows about the tables. With the statistics of a table that was
-- nearly empty, it would read all grants, or all users, and keep that plan until the next statistics. A subquery with a
-- limit has to be evaluated for each token.
create or replace view live_artifacts as
  select t.kind, t.id_hash, t.payload, g.payload as grant_payload,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from provider_artifacts t
  left join lateral (
    select id_hash, payload from provider_artifacts a
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

create or replace view authorization_callers as
  select
    s.token_hash, s.expires_at, s.last_seen_at, s.login_id, s.browser_id, s.auth_time, s.amr, s.acr, s.provider_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    s.interaction
  from sessions s
  cross join lateral (
    select id, username, display_name, email, email_verified from users a
    where a.id = s.user_id and a.disabled_at is null and a.deleted_at is null
    limit 1
  ) as u;
