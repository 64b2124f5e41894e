-- A token is an epoch and a number. A database that was put back from a backup, or goes on where a standby was, gives
-- numbers a second time: with its first commit it begins an epoch of its own, and knows up to where the former ones are its past.

alter table relationship_head
  -- Where the last commit was made.
  add column origin text,
  -- The last number of each former epoch that is part of what happened here.
  add column former jsonb not null default '{}';

-- The cluster, its timeline, the database and the table: one of them is another after a restore. Null where PostgreSQL
-- does not let us know; then the epoch stays.
create function relationship_origin() returns text language plpgsql volatile as $$
begin
  return concat_ws('/', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (select oid from pg_database where datname = current_database()), 'relationship_head'::regclass::oid);
exception when insufficient_privilege then
  return null;
end $$;
update relationship_head set origin = relationship_origin();

-- For whoever put back files of the database itself, which are the same from within.
create function begin_relationship_epoch() returns void language sql as $$
  update relationship_head set former = former || jsonb_build_object(epoch, rev),
    epoch = replace(gen_random_uuid()::text, '-', ''), origin = relationship_origin()
$$;

create or replace function number_relationship_commit() returns trigger language plpgsql as $$
declare
  head relationship_head;
  here text := relationship_origin();
  checked_against text := nullif(current_setting('passport.permission_schema', true), '');
begin
  update relationship_head h set rev = h.rev + 1, origin = coalesce(here, h.origin),
    former = case when here <> h.origin then h.former || jsonb_build_object(h.epoch, h.rev) else h.former end,
    epoch = case when here <> h.origin then replace(gen_random_uuid()::text, '-', '') else h.epoch end
  returning * into head;
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
