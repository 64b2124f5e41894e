-- Returns the actor who deleted a record, `{id, name}`, from the audit trail; null if it is not there.
create function deleter_of(kind text, id text) returns jsonb language sql stable
begin atomic
  select jsonb_build_object('id', e.actor_id, 'name', coalesce(e.actor_name, e.actor_id)) from audit_entries e
  where e.target_kind = $1 and e.target_id = $2 and e.action = $1 || '.deleted' and e.actor_id is not null
  order by e.at desc, e.id desc limit 1;
end;

-- Deleted records. Each kind has a view of its own, which is read in the order of its index. Of a union the planner would
-- sort all rows.

create view deleted_users as
  select 'user' as kind, id, coalesce(display_name, username, email, id) as name, coalesce(email, username) as detail, deleted_at
  from users where deleted_at is not null;

create view deleted_orgs as
  select 'org' as kind, id, name, slug as detail, deleted_at from orgs where deleted_at is not null;

create view deleted_groups as
  select 'group' as kind, id, name, nullif(description, '') as detail, deleted_at from groups where deleted_at is not null;
