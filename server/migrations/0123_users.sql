-- The organisation that vouched for a verified address: by its SCIM clients or its tenant, at a domain that it has verified.
-- Null if the user proved the address or an administrator stated it, and for an unverified address. The organisation may be
-- gone, or no longer have the domain: it counts as another one than the owner of the domain then.
alter table users add column email_verified_by text;

-- Until now, who vouched was derived from the logins: the organisation whose clients govern the account, or that of the tenants
-- at which all its logins are. Nobody vouches for the address any more if those tenants are gone.
with logins_of as (
  select l.user_id, count(*) as logins, count(*) filter (where l.issuer like 'entra:%') as at_tenants,
    min(c.org_id) as org_id
  from logins l left join entra_connections c on l.issuer = 'entra:' || c.tenant_id
  group by l.user_id
), vouched as (
  select u.id, coalesce(
    (
      select min(s.org_id) from scim_users s
      join org_domains d on d.org_id = s.org_id and d.domain = lower(split_part(u.email, '@', 2))
      where s.user_id = u.id and s.governs = 'account' and s.released_at is null
    ),
    case when l.logins = l.at_tenants then l.org_id end) as org_id,
    l.logins = l.at_tenants and l.org_id is null as is_gone
  from users u left join logins_of l on l.user_id = u.id
  where u.email_verified
)
update users u set email_verified_by = v.org_id, email_verified = v.org_id is not null or not v.is_gone,
  version = u.version + case when v.org_id is null and v.is_gone then 1 else 0 end
from vouched v where u.id = v.id and (v.org_id is not null or v.is_gone);

update users set email_verified = false, version = version + 1 where email_verified and email is null;

alter table users
  add constraint users_email_verified check (email is not null or not email_verified),
  add constraint users_email_verified_by check (email_verified or email_verified_by is null);

create index users_vouched_by_domain on users (lower(split_part(email, '@', 2))) where email_verified_by is not null;

drop view address_holders;

create or replace view user_rows as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at, u.deleted_at, u.left_behind,
    u.created_at, u.updated_at, u.last_sign_in_at,
    (u.version + coalesce((
      select sum(o.people_version) from org_members m join orgs o on o.id = m.org_id where m.user_id = u.id), 0)
    )::integer as version,
    u.sort_name,
    case when u.disabled_at is not null then 'disabled' when u.activated_at is null then 'invited' else 'active' end
      as status,
    array(select m.role from role_members m where m.user_id = u.id order by m.role) as roles,
    array(select r.role from effective_roles r where r.user_id = u.id order by r.role) as effective_roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash, u.email_verified_by
  from users u;
