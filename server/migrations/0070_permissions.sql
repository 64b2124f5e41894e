-- Relationships, the order in which they changed, and the schema that they stand on
-- (docs/decisions/0022-relationships.md).

-- One row: how many changes of relationships and schemas are committed, and which schema is in force. Whoever changes
-- something takes it last, at its commit, so that the numbers are in the order of the commits and none is missing.
create table relationship_head (
  is_only boolean primary key default true check (is_only),
  -- Another one for each installation, so that no token of one is read in another.
  epoch text not null default replace(gen_random_uuid()::text, '-', ''),
  rev bigint not null default 0,
  schema_id uuid,
  -- Up to here changes are forgotten, or were too many to be told one by one.
  horizon bigint not null default 0
) with (fillfactor = 10);
insert into relationship_head default values;

-- Each transaction that changed something; without a number only until it ends.
create table relationship_commits (
  id uuid primary key,
  rev bigint,
  at timestamptz(3),
  -- Who did it, such as `user:` and an id; as the audit of the same transaction has it unless it is told.
  by text,
  -- More was changed than is told one by one.
  is_reload boolean not null default false
);
create unique index relationship_commits_rev on relationship_commits (rev);
create index relationship_commits_at on relationship_commits (at);

-- What became of each relationship in it: null where it is not there, an empty object where nothing is attached to it.
create table relationship_changes (
  commit_id uuid not null,
  resource_type text not null,
  resource_id text not null,
  relation text not null,
  subject_type text not null,
  subject_id text not null,
  subject_relation text not null,
  before jsonb,
  after jsonb,
  primary key (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
);
create index relationship_changes_of_resource on relationship_changes (resource_id, resource_type);
create index relationship_changes_of_subject on relationship_changes (subject_id, subject_type);

-- What applications relate. Those of the directory are rows of the directory, and are not here.
create table stored_relationships (
  resource_type text not null,
  resource_id text not null,
  relation text not null,
  subject_type text not null,
  subject_id text not null,
  -- Empty for the object itself.
  subject_relation text not null,
  caveat text,
  context jsonb,
  expires_at timestamptz(3),
  primary key (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
);
create index stored_relationships_of_subject on stored_relationships (subject_id, subject_type, resource_type, relation);
create index stored_relationships_expiring on stored_relationships (expires_at) where expires_at is not null;

-- What applications define, each text with the commit that it came by.
create table permission_schemas (
  id uuid primary key,
  rev bigint,
  text text not null
);
create unique index permission_schemas_rev on permission_schemas (rev);

-- The commit of this transaction, which it gets with its first change.
create function relationship_commit() returns uuid language plpgsql as $$
declare
  known uuid := nullif(current_setting('passport.relationship_commit', true), '');
begin
  if known is null then
    known := gen_random_uuid();
    perform set_config('passport.relationship_commit', known::text, true);
    insert into relationship_commits (id) values (known);
  end if;
  return known;
end $$;

-- Gives a commit its number, at its end: nobody else gets one until this one is there or undone.
create function number_relationship_commit() returns trigger language plpgsql as $$
declare
  head relationship_head;
  checked_against text := nullif(current_setting('passport.permission_schema', true), '');
begin
  update relationship_head set rev = rev + 1 returning * into head;
  -- What was checked against a schema that is another one by now is checked again.
  if checked_against <> coalesce(head.schema_id::text, 'none') then
    raise exception 'the schema was changed meanwhile' using errcode = 'serialization_failure';
  end if;
  update relationship_commits set rev = head.rev, at = clock_timestamp(),
    by = nullif(current_setting('passport.actor', true), '')
  where id = new.id;
  update permission_schemas set rev = head.rev where id = new.id;
  update relationship_head set horizon = head.rev
  where exists (select from relationship_commits where id = new.id and is_reload);
  perform pg_notify('relationships', head.rev::text);
  return null;
end $$;

create constraint trigger relationship_commits_numbered after insert on relationship_commits
  deferrable initially deferred for each row execute function number_relationship_commit();

-- Whoever is in the audit of a transaction changed what it changed.
create function tell_actor() returns trigger language plpgsql as $$
begin
  perform set_config('passport.actor', 'user:' || new.actor_id, true);
  return null;
end $$;
create trigger audit_events_actor after insert on audit_events
  for each row when (new.actor_id is not null) execute function tell_actor();

-- Beyond so many at once they are not told one by one, and whoever follows reads all anew.
create function are_too_many_to_tell(changes bigint) returns boolean language plpgsql as $$
declare
  commit_id uuid;
begin
  if changes <= 100000 then
    return false;
  end if;
  commit_id := relationship_commit();
  update relationship_commits set is_reload = true where id = commit_id;
  update relationship_head set horizon = c.rev from relationship_commits c where c.id = commit_id and c.rev is not null;
  return true;
end $$;

-- The log is appended to, and swept from its old end.
create function refuse_relationship_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.commit_id::text = current_setting('passport.relationship_commit', true) then
    return new;
  end if;
  if tg_op = 'DELETE' and current_setting('passport.relationship_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'relationship_changes is append-only';
end $$;
create trigger relationship_changes_append_only before update or delete on relationship_changes
  for each row execute function refuse_relationship_change();

-- What is attached to a relationship, as the log has it.
create function relationship_terms(caveat text, context jsonb, expires_at timestamptz) returns jsonb
  language sql stable parallel safe as $$
  select case when caveat is null and expires_at is null then '{}'::jsonb
    else jsonb_build_object('caveat', caveat, 'context', context,
      'expiresAt', (extract(epoch from expires_at) * 1000)::bigint) end
$$;

-- Roles by the id that they have as objects: a name of a role has no slashes, and an id no dots.
create index role_members_by_object on role_members (translate(role, '.', '/'), user_id);
create index group_roles_by_object on group_roles (translate(role, '.', '/'), group_id);

-- The one place that says which rows are which relationships. From it are made the views, and the triggers by which
-- every change of these tables is in the log, whoever writes.
do $do$
declare
  tables text[] := '{stored_relationships, org_members, group_members, group_owners, role_members, group_roles}';
  rows_of text[] := array[
    $$select resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
      relationship_terms(caveat, context, expires_at) as terms from %s$$,
    $$select 'passport/org'::text as resource_type, m.org_id as resource_id, m.role as relation,
      'passport/user'::text as subject_type, m.user_id as subject_id, ''::text as subject_relation, '{}'::jsonb as terms
      from %s m join orgs o on o.id = m.org_id where o.deleted_at is null$$,
    $$select 'passport/group'::text as resource_type, m.group_id as resource_id, 'member'::text as relation,
      'passport/user'::text as subject_type, m.user_id as subject_id, ''::text as subject_relation, '{}'::jsonb as terms
      from %s m join groups g on g.id = m.group_id where g.deleted_at is null$$,
    $$select 'passport/group'::text as resource_type, m.group_id as resource_id, 'owner'::text as relation,
      'passport/user'::text as subject_type, m.user_id as subject_id, ''::text as subject_relation, '{}'::jsonb as terms
      from %s m join groups g on g.id = m.group_id where g.deleted_at is null$$,
    $$select 'passport/role'::text as resource_type, translate(m.role, '.', '/') as resource_id, 'member'::text as relation,
      'passport/user'::text as subject_type, m.user_id as subject_id, ''::text as subject_relation, '{}'::jsonb as terms
      from %s m$$,
    $$select 'passport/role'::text as resource_type, translate(c.role, '.', '/') as resource_id, 'member'::text as relation,
      'passport/group'::text as subject_type, c.group_id as subject_id, 'member'::text as subject_relation,
      '{}'::jsonb as terms
      from %s c join groups g on g.id = c.group_id where g.deleted_at is null$$];
  all_rows text := '';
  from_table text;
  appeared text;
  gone text;
begin
  for i in 1 .. array_length(tables, 1) loop
    from_table := format(rows_of[i], tables[i]);
    all_rows := all_rows || case when i > 1 then ' union all ' else '' end || from_table;
    appeared := format(rows_of[i], 'appeared');
    gone := format(rows_of[i], 'gone');

    execute format($make$
      create function log_%1$s() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          if are_too_many_to_tell((select count(*) from appeared)) then return null; end if;
          insert into relationship_changes
          select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id,
            subject_relation, null, terms
          from (%2$s) n
          on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
          do update set after = excluded.after;
          return null;
        end if;
        if are_too_many_to_tell((select count(*) from gone)) then return null; end if;
        if tg_op = 'DELETE' then
          insert into relationship_changes
          select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id,
            subject_relation, terms, null
          from (%3$s) o
          on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
          do update set after = null;
          return null;
        end if;
        insert into relationship_changes
        select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id,
          subject_relation, terms, null
        from (%3$s except %2$s) o
        on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
        do update set after = null;
        insert into relationship_changes
        select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id,
          subject_relation, null, terms
        from (%2$s except %3$s) n
        on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
        do update set after = excluded.after;
        return null;
      end $$
    $make$, tables[i], appeared, gone);
    execute format('create trigger %1$s_related after insert on %1$s referencing new table as appeared
      for each statement execute function log_%1$s()', tables[i]);
    execute format('create trigger %1$s_related_otherwise after update on %1$s referencing old table as gone
      new table as appeared for each statement execute function log_%1$s()', tables[i]);
    execute format('create trigger %1$s_unrelated after delete on %1$s referencing old table as gone
      for each statement execute function log_%1$s()', tables[i]);
  end loop;
  execute 'create view relationship_rows as ' || all_rows;
end $do$;

-- A group or an organisation that is deleted takes along its relationships, and has them again where it is restored.
-- The view has them until the row is changed, and once it is.
create function log_directory_object() returns trigger language plpgsql as $$
declare
  type text := 'passport/' || tg_argv[0];
begin
  if tg_when = 'BEFORE' then
    if are_too_many_to_tell((select count(*) from relationship_rows where resource_type = type and resource_id = old.id)) then
      return case tg_op when 'DELETE' then old else new end;
    end if;
    insert into relationship_changes
    select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
      terms, null
    from (
      select * from relationship_rows where resource_type = type and resource_id = old.id
      union all
      select * from relationship_rows where resource_type = 'passport/role' and subject_type = type and subject_id = old.id
    ) o
    on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
    do update set after = null;
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if are_too_many_to_tell((select count(*) from relationship_rows where resource_type = type and resource_id = new.id)) then
    return null;
  end if;
  insert into relationship_changes
  select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id, subject_relation,
    null, terms
  from (
    select * from relationship_rows where resource_type = type and resource_id = new.id
    union all
    select * from relationship_rows where resource_type = 'passport/role' and subject_type = type and subject_id = new.id
  ) n
  on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
  do update set after = excluded.after;
  return null;
end $$;

create trigger groups_unrelated before update on groups for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function log_directory_object('group');
create trigger groups_erased before delete on groups for each row
  when (old.deleted_at is null) execute function log_directory_object('group');
create trigger groups_related after update on groups for each row
  when (old.deleted_at is not null and new.deleted_at is null) execute function log_directory_object('group');
create trigger orgs_unrelated before update on orgs for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function log_directory_object('org');
create trigger orgs_erased before delete on orgs for each row
  when (old.deleted_at is null) execute function log_directory_object('org');
create trigger orgs_related after update on orgs for each row
  when (old.deleted_at is not null and new.deleted_at is null) execute function log_directory_object('org');

-- What was changed after a revision, each relationship as it was then: null where it was not there.
create view later_relationship_changes as
  select c.rev, h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id, h.subject_relation, h.before
  from relationship_commits c join relationship_changes h on h.commit_id = c.id;

-- Relationships of an object, at a revision or now. Functions, because a plan for all objects at once reads all tables.
create function relationships_out(type text, id text, at_rev bigint) returns setof relationship_rows
  language plpgsql stable rows 10 as $$
begin
  if at_rev is null then
    return query select * from relationship_rows r where r.resource_type = type and r.resource_id = id;
    return;
  end if;
  return query
    with later as materialized (
      select distinct on (l.relation, l.subject_type, l.subject_id, l.subject_relation) l.*
      from later_relationship_changes l
      where l.resource_type = type and l.resource_id = id and l.rev > at_rev
      order by l.relation, l.subject_type, l.subject_id, l.subject_relation, l.rev
    )
    select r.* from relationship_rows r where r.resource_type = type and r.resource_id = id and not exists (
      select from later l where (l.relation, l.subject_type, l.subject_id, l.subject_relation)
        = (r.relation, r.subject_type, r.subject_id, r.subject_relation))
    union all
    select l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation, l.before
    from later l where l.before is not null;
end $$;

-- Relationships in which an object, or a set of it, is the subject.
create function relationships_in(type text, id text, at_rev bigint) returns setof relationship_rows
  language plpgsql stable rows 10 as $$
begin
  if at_rev is null then
    return query select * from relationship_rows r where r.subject_type = type and r.subject_id = id;
    return;
  end if;
  return query
    with later as materialized (
      select distinct on (l.resource_type, l.resource_id, l.relation, l.subject_relation) l.*
      from later_relationship_changes l
      where l.subject_type = type and l.subject_id = id and l.rev > at_rev
      order by l.resource_type, l.resource_id, l.relation, l.subject_relation, l.rev
    )
    select r.* from relationship_rows r where r.subject_type = type and r.subject_id = id and not exists (
      select from later l where (l.resource_type, l.resource_id, l.relation, l.subject_relation)
        = (r.resource_type, r.resource_id, r.relation, r.subject_relation))
    union all
    select l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation, l.before
    from later l where l.before is not null;
end $$;

-- All relationships as they were at a revision.
create function relationships_at(at_rev bigint) returns setof relationship_rows language plpgsql stable as $$
begin
  return query
    with later as materialized (
      select distinct on (l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation) l.*
      from later_relationship_changes l where l.rev > at_rev
      order by l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation, l.rev
    )
    select r.* from relationship_rows r where not exists (
      select from later l
      where (l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation)
        = (r.resource_type, r.resource_id, r.relation, r.subject_type, r.subject_id, r.subject_relation))
    union all
    select l.resource_type, l.resource_id, l.relation, l.subject_type, l.subject_id, l.subject_relation, l.before
    from later l where l.before is not null;
end $$;

-- The part of all relationships that a question about an object can depend on: the relations that are named as
-- `document#viewer`, from the object on; through objects themselves where the relation is among `arrows`. With a
-- subject, only what may lead to it. At most `up_to` objects and rows.
create function relationships_from(
  type text, id text, relations text[], arrows text[], subject_type text, subject_id text, at_rev bigint, up_to bigint
) returns setof relationship_rows language sql stable as $$
  with recursive reached (type, id) as (
    select $1, $2
    union
    select e.subject_type, e.subject_id
    from reached r cross join lateral relationships_out(r.type, r.id, $7) e
    where e.resource_type || '#' || e.relation = any($3) and e.subject_id <> '*'
      and (e.subject_relation <> '' or e.resource_type || '#' || e.relation = any($4))
  )
  select e.* from (select * from reached limit $8) r cross join lateral relationships_out(r.type, r.id, $7) e
  where e.resource_type || '#' || e.relation = any($3)
    and ($5 is null or e.subject_relation <> '' or e.resource_type || '#' || e.relation = any($4)
      or e.subject_type = $5 and e.subject_id in ($6, '*'))
  limit $8
$$;

-- The same of whatever a subject can reach: up from it, and from there down again, because what is subtracted or
-- required counts as well, and circles on the way.
create function relationships_towards(
  type text, id text, relations text[], arrows text[], at_rev bigint, up_to bigint
) returns setof relationship_rows language sql stable as $$
  with recursive above (type, id) as (
    select * from (values ($1, $2), ($1, '*')) start
    union
    select e.resource_type, e.resource_id
    from above r cross join lateral relationships_in(r.type, r.id, $5) e
    where e.resource_type || '#' || e.relation = any($3)
  ), reached (type, id) as (
    select * from (select * from above limit $6) found
    union
    select e.subject_type, e.subject_id
    from reached r cross join lateral relationships_out(r.type, r.id, $5) e
    where e.resource_type || '#' || e.relation = any($3) and e.subject_id <> '*'
      and (e.subject_relation <> '' or e.resource_type || '#' || e.relation = any($4))
  )
  select e.* from (select * from reached limit $6) r cross join lateral relationships_out(r.type, r.id, $5) e
  where e.resource_type || '#' || e.relation = any($3)
    and (e.subject_relation <> '' or e.resource_type || '#' || e.relation = any($4)
      or e.subject_type = $1 and e.subject_id in ($2, '*'))
  limit $6
$$;

-- Forgets at most so many commits that are older than that, the oldest first; tells how many.
create function sweep_relationship_log(older_than_days integer, up_to integer) returns integer language plpgsql as $$
declare
  last bigint;
  swept integer;
begin
  select max(rev) into last from (
    select rev from relationship_commits where at < now() - make_interval(days => older_than_days) order by rev limit up_to
  ) old;
  if last is null then
    return 0;
  end if;
  perform set_config('passport.relationship_retention', 'on', true);
  delete from relationship_changes where commit_id in (select id from relationship_commits where rev <= last);
  delete from relationship_commits where rev <= last;
  get diagnostics swept = row_count;
  perform set_config('passport.relationship_retention', 'off', true);
  update relationship_head set horizon = greatest(horizon, last);
  return swept;
end $$;
