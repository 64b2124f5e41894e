-- What the account has from the provider of this login, as of the last sign-in: {"email", "emailVerified", "displayName"}. Null
-- for a login that gives the account nothing, because it was linked later. What differs in the account was changed by others.
alter table logins add column given jsonb;

-- The only login of an account gave it the address that is its label. Who gave the name is not known.
update logins l set given = jsonb_build_object('email', u.email, 'emailVerified', u.email_verified, 'displayName', null)
from users u
where u.id = l.user_id and lower(l.label) = lower(u.email)
  and not exists (select from logins other where other.user_id = l.user_id and other.id <> l.id);

create or replace view sign_in_accounts as
  select l.issuer, l.subject, l.id as login_id, l.user_id, u.display_name, u.email,
    u.disabled_at is null and u.deleted_at is null as is_enabled,
    u.last_sign_in_at is null as is_first,
    not exists (select from new_device_opt_outs o where o.user_id = u.id) as is_notified,
    u.email_verified, l.given,
    exists (
      select from scim_users s where s.user_id = u.id and s.governs = 'account' and s.released_at is null) as is_provisioned
  from logins l join users u on u.id = l.user_id;
