-- What was deleted lately and can be given back, with who deleted it: looked up for what is shown only.
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

-- Whoever is removed for good takes along what is theirs, and is forgotten where they are only mentioned.
do $$
declare
  reference record;
begin
  for reference in
    select c.conrelid::regclass as child, c.confrelid::regclass as parent, c.conname as name, a.attname as field, a.attnotnull as is_needed
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confdeltype = 'a' and array_length(c.conkey, 1) = 1
      and c.confrelid in ('users'::regclass, 'orgs'::regclass, 'groups'::regclass)
  loop
    execute format(
      'alter table %s drop constraint %I, add constraint %I foreign key (%I) references %s (id) on delete %s',
      reference.child, reference.name, reference.name, reference.field, reference.parent,
      case when reference.is_needed then 'cascade' else 'set null' end);
  end loop;
end $$;
