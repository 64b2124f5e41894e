-- Who deleted something is looked up for what is shown only, and not for all that lies there.
drop view bin_entries;
create view bin_entries as
  select d.kind, d.id, d.name, d.detail, d.deleted_at,
    (
      select jsonb_build_object('id', e.actor_id, 'name', coalesce(e.actor_name, e.actor_id)) from audit_entries e
      where e.target_kind = d.kind and e.target_id = d.id and e.action = d.kind || '.deleted' and e.actor_id is not null
      order by e.at desc, e.id desc limit 1
    ) as deleted_by
  from (
    select 'user' as kind, id, coalesce(display_name, username, email, id) as name, coalesce(email, username) as detail, deleted_at
    from users where deleted_at is not null
    union all
    select 'org', id, name, slug, deleted_at from orgs where deleted_at is not null
    union all
    select 'group', id, name, nullif(description, ''), deleted_at from groups where deleted_at is not null
  ) d;
