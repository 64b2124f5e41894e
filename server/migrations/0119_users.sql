-- The accounts that hold an email address, in lower case. `vouchers` has a value for each of their logins: the organisation
-- of the tenant that it is at, null if that is gone, or an empty text for a login at a provider of the operator.
create view address_holders as
  select lower(u.email) as address, u.id, u.username, u.display_name, u.email, u.email_verified,
    array(
      select case when l.issuer like 'entra:%' then c.org_id else '' end
      from logins l left join entra_connections c on l.issuer = 'entra:' || c.tenant_id
      where l.user_id = u.id
    ) as vouchers
  from users u where u.deleted_at is null;
