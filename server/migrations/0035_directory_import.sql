-- An import from another identity provider or a file, by `npm run import`.
create table directory_imports (
  id text primary key,
  -- What was imported: `keycloak stage` or `csv people.csv`.
  source text not null,
  state text not null default 'applying' check (state in ('applying', 'applied', 'takenBack')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- A record that an import has added. A later import of the same source finds it here and leaves it as it is.
create table directory_import_records (
  import_id text not null references directory_imports (id) on delete cascade,
  kind text not null check (kind in ('role', 'organisation', 'group', 'user')),
  -- Identifies the record in its source, such as `stage/<the id of a user in Keycloak>`.
  source_key text not null,
  -- The id of the record, or the name of a role.
  record_id text not null,
  -- The version of a user after the import: with another version, the user has changed since.
  version bigint,
  -- `kept`: the record had changed or was in use, so that taking the import back left it.
  state text not null default 'added' check (state in ('added', 'takenBack', 'kept')),
  primary key (import_id, kind, source_key)
);

create index directory_import_records_by_source on directory_import_records (kind, source_key);
