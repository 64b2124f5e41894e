-- Whether the user or an administrator agreed to the membership. An owner or admin of the organisation can add any account by
-- its id; until its user agrees, that takes nothing from the organisation that provisions the account.
alter table org_members add column is_accepted boolean not null default true;

-- Until now, only the audit log says that an owner or admin added a member by id. Who is an administrator, or was one, agreed
-- for the user. The times of both are those of one transaction.
create view imposed_members as
  select distinct e.target_id as org_id, members.id as user_id, e.at as added_at
  from audit_events e
  join users actor on actor.id = e.actor_id
  cross join lateral jsonb_array_elements_text(e.after -> 'members') members (id)
  where e.action = 'org.member-added' and e.target_kind = 'org' and e.reason is null
    and jsonb_typeof(e.after -> 'members') = 'array' and members.id <> e.actor_id
    and not exists (select from administration_changes c where c.user_id = e.actor_id)
    and not exists (select from role_sources s where s.user_id = e.actor_id and s.role = 'Passport.Admin');

alter table org_members disable trigger org_members_changed;
update org_members m set is_accepted = false from imposed_members i
where m.org_id = i.org_id and m.user_id = i.user_id and m.added_at = i.added_at;
alter table org_members enable trigger org_members_changed;

update users u set left_behind = jsonb_set(u.left_behind, '{orgs}', (
  select jsonb_agg(case
      when exists (
        select from imposed_members i
        where i.org_id = former ->> 'orgId' and i.user_id = u.id and i.added_at = (former ->> 'addedAt')::timestamptz)
      then former || '{"isAccepted": false}' else former end order by position)
  from jsonb_array_elements(u.left_behind -> 'orgs') with ordinality as o (former, position)))
where u.left_behind is not null and u.id in (select user_id from imposed_members)
  and jsonb_array_length(u.left_behind -> 'orgs') > 0;

drop view imposed_members;

-- Like before, but only the memberships of other organisations count to which somebody agreed; those of a deleted user, which
-- a restore gives back, are compared by organisation, and no longer counted.
create or replace view scim_people as
  select c.org_id, u.id, s.external_id, s.user_name, s.governs, s.attributes, s.ended_at, s.released_at,
    u.display_name, u.email, u.username, u.disabled_at, u.deleted_at, u.left_behind,
    coalesce(s.disabled_at = u.disabled_at, false) as disabled_by_scim,
    coalesce(s.created_at, u.created_at) as created_at, coalesce(s.updated_at, u.created_at) as updated_at,
    exists (
      select from logins l where l.user_id = u.id and l.issuer <> 'entra:' || c.tenant_id) as has_other_logins,
    exists (select from org_members m where m.user_id = u.id and m.org_id <> c.org_id and m.is_accepted)
      or exists (
        select from jsonb_array_elements(u.left_behind -> 'orgs') former
        where former ->> 'orgId' <> c.org_id and coalesce((former ->> 'isAccepted')::boolean, true)) as has_other_orgs,
    has_global_role(u.id, c.org_id) as has_global_roles,
    (
      select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display',
        case when sg.shortened_name = g.name then sg.display_name else g.name end)
        order by g.sort_name, g.id), '[]')
      from scim_group_members sm
      join group_members m on m.group_id = sm.group_id and m.user_id = sm.user_id
      join groups g on g.id = sm.group_id and g.deleted_at is null and g.org_id = c.org_id
      join scim_groups sg on sg.group_id = g.id
      where sm.user_id = u.id
    ) as groups,
    s.object_id::text as object_id
  from entra_connections c
  join users u on true
  left join scim_users s on s.org_id = c.org_id and s.user_id = u.id;
