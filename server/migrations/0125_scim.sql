-- What a client sees of a user changes with the record of the user and the state of the account, and with its name and address
-- if SCIM governs the account. Other changes, such as the loss of an address, belong to others: neither the version nor the
-- time of the last change may show them.
create function time_scim_change() returns trigger language plpgsql set search_path from current as $$
begin
  update scim_users set updated_at = now()
  where user_id = new.id and (governs = 'account' or old.disabled_at is distinct from new.disabled_at);
  return null;
end $$;

create trigger users_scim_changed after update of display_name, email, disabled_at on users for each row
  when (old.display_name is distinct from new.display_name or old.disabled_at is distinct from new.disabled_at
    or old.email <> new.email)
  execute function time_scim_change();

drop view scim_people;

-- Like before, without the version, and with the time of the last change that the clients of the organisation may see.
create view scim_people as
  select c.org_id, u.id, s.external_id::text as external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, coalesce(s.updated_at, u.created_at) as updated_at,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (select from org_members m where m.user_id = u.id and m.org_id <> c.org_id) as has_other_orgs,
    has_global_role(u.id, c.org_id) as has_global_roles,
    (
      select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display', g.name) order by g.sort_name, g.id), '[]')
      from scim_group_members sm
      join group_members m on m.group_id = sm.group_id and m.user_id = sm.user_id
      join groups g on g.id = sm.group_id and g.deleted_at is null and g.org_id = c.org_id
      where sm.user_id = u.id
    ) as groups
  from entra_connections c
  join users u on true
  left join scim_users s on s.org_id = c.org_id and s.user_id = u.id;

create or replace view scim_listed_users as
  select s.org_id, s.user_id as id, s.external_id::text as external_id, s.user_name, s.created_at,
    s.updated_at, s.attributes, u.display_name, u.email,
    u.disabled_at is null and s.ended_at is null as active, lower(s.user_name) collate "C" as sort_name,
    lower(coalesce(u.display_name, s.user_name)) collate "C" as sort_display_name
  from scim_users s join users u on u.id = s.user_id and u.deleted_at is null
  where s.released_at is null;

alter table scim_users drop column version;
