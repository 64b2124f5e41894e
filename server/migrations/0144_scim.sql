-- The time of the last change moves only with what the client sees: the state of the account if the client sets it, and name
-- and address if the client sets them and SCIM governs the account, which has no other logins, organisations or roles.
create or replace function time_scim_change() returns trigger language plpgsql set search_path from current as $$
begin
  update scim_users s set updated_at = now()
  from scim_people p
  where s.user_id = new.id and p.id = s.user_id and p.org_id = s.org_id and (
    s.attributes ? 'active' and s.ended_at is null and (old.disabled_at is null) <> (new.disabled_at is null)
    or s.governs = 'account' and not (p.has_other_logins or p.has_other_orgs or p.has_global_roles) and (
      s.attributes ? 'displayName' and old.display_name is distinct from new.display_name
      or s.attributes ? 'emails' and old.email <> new.email));
  return null;
end $$;
