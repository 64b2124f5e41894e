-- Relationships, the log of their changes, and the schemas that define them (docs/decisions/0022-relationships.md).

-- One row: the number of the last commit, and the current schema. A transaction locks it at its end, so that numbers are
-- consecutive and in the order of the commits.
create table relationship_head (
  is_only boolean primary key default true check (is_only),
  -- A token is an epoch and a revision. Each installation and each restore has its own epoch.
  epoch text not null default replace(gen_random_uuid()::text, '-', ''),
  rev bigint not null default 0,
  -- Null before the first schema.
  schema_id uuid,
  -- The log has no changes up to this revision: they were removed, or too many to be logged one by one.
  horizon bigint not null default 0,
  -- The location of the database at the last commit, as `relationship_origin` returns it.
  origin text,
  -- The former epochs, each with its last revision that is part of this log.
  former jsonb not null default '{}'
) with (fillfactor = 10);

-- A transaction that changed relationships or the schema.
create table relationship_commits (
  id uuid primary key,
  -- Null, like `at`, until the end of the transaction.
  rev bigint,
  at timestamptz(3),
  -- The actor: `user:` or `client:` and an id; null if unknown.
  by text,
  -- It changed too many relationships for the log.
  is_reload boolean not null default false
);

create unique index relationship_commits_rev on relationship_commits (rev);
create index relationship_commits_at on relationship_commits (at);

-- A change of a relationship in a commit. `before` and `after` are the terms: null if the relationship does not exist, an
-- empty object if it has neither caveat nor expiry.
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

-- A relationship that an application wrote. Those of the directory are rows of its own tables.
create table stored_relationships (
  resource_type text not null,
  resource_id text not null,
  relation text not null,
  subject_type text not null,
  subject_id text not null,
  -- Empty if the subject is the object itself, not a userset.
  subject_relation text not null,
  caveat text,
  context jsonb,
  expires_at timestamptz(3),
  primary key (resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
);

create index stored_relationships_of_subject on stored_relationships (subject_id, subject_type, resource_type, relation);
create index stored_relationships_expiring on stored_relationships (expires_at) where expires_at is not null;

-- A schema that applications wrote. Its id is that of the commit.
create table permission_schemas (
  id uuid primary key,
  -- Null until the end of the transaction.
  rev bigint,
  text text not null
);

create unique index permission_schemas_rev on permission_schemas (rev);

-- A saved assertion about permissions. Ids are in the order of creation; `content` is an assertion of the contract.
create table permission_assertions (
  id text primary key,
  content jsonb not null,
  created_at timestamptz(3) not null default now()
);

-- Returns the location of the database: cluster, timeline, database and table. A restore changes one of them. Null if
-- PostgreSQL does not permit reading it; then the epoch stays.
create function relationship_origin() returns text language plpgsql volatile set search_path from current as $$
begin
  return concat_ws('/', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (select oid from pg_database where datname = current_database()), 'relationship_head'::regclass::oid);
exception when insufficient_privilege then
  return null;
end $$;

insert into relationship_head (origin) values (relationship_origin());

-- Begins a new epoch, after the files of the database were restored in place: the database cannot detect that.
create function begin_relationship_epoch() returns void language sql
begin atomic
  update relationship_head set former = former || jsonb_build_object(epoch, rev),
    epoch = replace(gen_random_uuid()::text, '-', ''), origin = relationship_origin();
end;

-- Returns the id of this transaction's commit, which its first change creates.
create function relationship_commit() returns uuid language plpgsql set search_path from current as $$
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

-- Gives a commit its number, as the last step of the transaction. The lock on the head makes other commits wait. The first
-- commit after a restore begins a new epoch: its numbers may have been used before.
create function number_relationship_commit() returns trigger language plpgsql set search_path from current as $$
declare
  head relationship_head;
  here text := relationship_origin();
  checked_against text := nullif(current_setting('passport.permission_schema', true), '');
begin
  update relationship_head h set rev = h.rev + 1, origin = coalesce(here, h.origin),
    former = case when here <> h.origin then h.former || jsonb_build_object(h.epoch, h.rev) else h.former end,
    epoch = case when here <> h.origin then replace(gen_random_uuid()::text, '-', '') else h.epoch end
  returning * into head;
  -- The schema that the transaction was checked against is not the current one: the server runs it again.
  if checked_against <> coalesce(head.schema_id::text, 'none') then
    raise exception 'the schema was changed concurrently' using errcode = 'serialization_failure';
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

-- Makes the actor of an audit event the actor of the commit in the same transaction.
create function set_commit_actor() returns trigger language plpgsql set search_path from current as $$
begin
  perform set_config('passport.actor', case when starts_with(new.actor_id, 'client:') then '' else 'user:' end || new.actor_id, true);
  return null;
end $$;

-- Returns whether a statement changes more relationships than the log records. The commit is then a reload, and processes
-- that follow the log read all relationships again.
create function exceeds_relationship_log(changes bigint) returns boolean language plpgsql set search_path from current as $$
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

-- Permits updates by the transaction that wrote the change, and deletions by `sweep_relationship_log`.
create function reject_relationship_change() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'UPDATE' and old.commit_id::text = current_setting('passport.relationship_commit', true) then
    return new;
  end if;
  if tg_op = 'DELETE' and current_setting('passport.relationship_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'relationship_changes is append-only';
end $$;

-- Returns the terms of a relationship, as the log has them. `expiresAt` is in milliseconds since 1970.
create function relationship_terms(caveat text, context jsonb, expires_at timestamptz) returns jsonb
  language sql stable parallel safe
begin atomic
  select case when caveat is null and expires_at is null then '{}'::jsonb
    else jsonb_build_object('caveat', caveat, 'context', context,
      'expiresAt', (extract(epoch from expires_at) * 1000)::bigint) end;
end;

-- Logs the relationships of a group or an organisation that is deleted or restored. `relationship_rows` contains them before
-- the row is deleted, and after it is restored.
create function log_directory_object() returns trigger language plpgsql set search_path from current as $$
declare
  type text := 'passport/' || tg_argv[0];
begin
  if tg_when = 'BEFORE' then
    if exceeds_relationship_log((select count(*) from relationship_rows where resource_type = type and resource_id = old.id)) then
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
  if exceeds_relationship_log((select count(*) from relationship_rows where resource_type = type and resource_id = new.id)) then
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

-- Removes at most `up_to` commits older than this many days from the log, the oldest first. Returns their number.
create function sweep_relationship_log(older_than_days integer, up_to integer) returns integer
  language plpgsql set search_path from current as $$
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

-- The mapping from rows to relationships. It generates the view `relationship_rows` and, for each table, the triggers that log
-- every change by any writer.
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
      create function log_%1$s() returns trigger language plpgsql set search_path from current as $$
      begin
        if tg_op = 'INSERT' then
          if exceeds_relationship_log((select count(*) from appeared)) then return null; end if;
          insert into relationship_changes
          select (select relationship_commit()), resource_type, resource_id, relation, subject_type, subject_id,
            subject_relation, null, terms
          from (%2$s) n
          on conflict (commit_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
          do update set after = excluded.after;
          return null;
        end if;
        if exceeds_relationship_log((select count(*) from gone)) then return null; end if;
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

-- Returns the relationships of an object at a revision; null for the current one. A function, because a plan for all objects
-- at once reads whole tables.
create function relationships_out(type text, id text, at_rev bigint) returns setof relationship_rows
  language plpgsql stable set search_path from current rows 10 as $$
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

-- Returns the relationships whose subject is an object or one of its usersets, at a revision; null for the current one.
create function relationships_in(type text, id text, at_rev bigint) returns setof relationship_rows
  language plpgsql stable set search_path from current rows 10 as $$
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

-- Returns all relationships at a revision.
create function relationships_at(at_rev bigint) returns setof relationship_rows
  language plpgsql stable set search_path from current as $$
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

-- Returns the relationships on which a check of an object can depend: those of the given `relations`, such as
-- `document#viewer`, reached from the object. Subjects that are objects are followed for the relations in `arrows`. With a
-- subject, only relationships that may lead to it. At most `up_to` objects and rows.
create function relationships_from(
  type text, id text, relations text[], arrows text[], subject_type text, subject_id text, at_rev bigint, up_to bigint
) returns setof relationship_rows language sql stable
begin atomic
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
  limit $8;
end;

-- Like `relationships_from`, for all objects that a subject can reach. It goes up from the subject, and down again from the
-- objects there, because exclusions, intersections and cycles depend on other relationships of these objects.
create function relationships_towards(
  type text, id text, relations text[], arrows text[], at_rev bigint, up_to bigint
) returns setof relationship_rows language sql stable
begin atomic
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
  limit $6;
end;

-- Changes with their revisions. The first change of a relationship after a revision has its state at that revision: `before`.
create view later_relationship_changes as
  select c.rev, h.resource_type, h.resource_id, h.relation, h.subject_type, h.subject_id, h.subject_relation, h.before
  from relationship_commits c join relationship_changes h on h.commit_id = c.id;

create constraint trigger relationship_commits_numbered after insert on relationship_commits
  deferrable initially deferred for each row execute function number_relationship_commit();

create trigger relationship_changes_append_only before update or delete on relationship_changes
  for each row execute function reject_relationship_change();

create trigger groups_unrelated before update on groups for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function log_directory_object('group');
create trigger groups_purged before delete on groups for each row
  when (old.deleted_at is null) execute function log_directory_object('group');
create trigger groups_related after update on groups for each row
  when (old.deleted_at is not null and new.deleted_at is null) execute function log_directory_object('group');

create trigger orgs_unrelated before update on orgs for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function log_directory_object('org');
create trigger orgs_purged before delete on orgs for each row
  when (old.deleted_at is null) execute function log_directory_object('org');
create trigger orgs_related after update on orgs for each row
  when (old.deleted_at is not null and new.deleted_at is null) execute function log_directory_object('org');
