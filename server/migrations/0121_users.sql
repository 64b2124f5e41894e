-- The accounts that wait for an expected user: an invitation, an administrator or an import made them, and they have never had
-- a login. One that SCIM clients of an organisation have provisioned, now or before, is none: its user has not agreed to belong
-- to that organisation. Memberships that administrators and owners gave the account are no obstacle: they could give them to
-- any account of the user.
create view prepared_accounts as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at
  from users u
  where u.deleted_at is null and u.activated_at is null
    and not exists (select from scim_users s where s.user_id = u.id);
