-- Returns the organisation whose mapping gives a user a group or role, as the source of the grant; null for a manual one.
create function mapping_source(person text, kind text, target text) returns jsonb language sql stable as $$
  select jsonb_build_object('source', 'mapping', 'by', jsonb_build_object('id', o.id, 'name', o.name))
  from entra_grants e join orgs o on o.id = e.org_id
  where e.user_id = person and e.kind = $2 and e.target = $3
  order by e.granted_at, o.id limit 1
$$;

create or replace view named_members as
  select m.group_id, m.user_id as id, coalesce(u.display_name, u.username, u.id) as displayname, u.username, m.added_at,
    u.search_words, (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash,
    case when exists (
      select from entra_grants e where e.user_id = m.user_id and e.kind = 'group' and e.target = m.group_id
    ) then 'mapping' end as source
  from group_members m join users u on u.id = m.user_id;

create or replace view user_access as
  select u.id,
    coalesce((
      select jsonb_agg(jsonb_build_object('name', r.role, 'sources', r.sources) order by r.role)
      from (
        select s.role, jsonb_agg(
          case when s.group_id is null
            then jsonb_build_object('kind', 'direct', 'since', format_instant(s.since), 'by', (
              select jsonb_build_object('id', b.id, 'name', coalesce(b.display_name, b.username, b.email, b.id))
              from role_members m join users b on b.id = m.granted_by where m.user_id = u.id and m.role = s.role))
              || coalesce(mapping_source(u.id, 'role', s.role), '{}')
            else jsonb_build_object('kind', 'group', 'since', format_instant(s.since), 'group', (
              select jsonb_build_object('id', g.id, 'name', g.name) from groups g where g.id = s.group_id))
          end order by s.group_id is not null, s.since, s.group_id) as sources
        from role_sources s where s.user_id = u.id group by s.role) r), '[]') as roles,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name,
        'memberSince', format_instant(p.member_since), 'ownerSince', format_instant(p.owner_since),
        'roles', array(select gr.role from group_roles gr where gr.group_id = g.id order by gr.role)
      ) || coalesce(mapping_source(u.id, 'group', g.id) - 'by', '{}') order by g.sort_name, g.id)
      from (
        select group_id, max(member_since) as member_since, max(owner_since) as owner_since
        from (
          select group_id, added_at as member_since, null::timestamptz as owner_since
          from group_members where user_id = u.id
          union all
          select group_id, null, added_at from group_owners where user_id = u.id) q
        group by group_id) p
      join groups g on g.id = p.group_id and g.deleted_at is null), '[]') as groups,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role, 'since', format_instant(m.added_at))
        order by o.sort_name, o.id)
      from org_members m join orgs o on o.id = m.org_id and o.deleted_at is null
      where m.user_id = u.id), '[]') as orgs
  from users u where u.deleted_at is null;
