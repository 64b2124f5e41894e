-- An import of users from a file. It is applied in batches, whose progress is in the rows: any process can continue it.
create table user_imports (
  id text primary key,
  state text not null check (state in ('checked', 'applying', 'applied', 'takingBack', 'takenBack')),
  -- The id of the user who started the current phase.
  created_by text not null,
  row_count integer not null default 0,
  -- Address, user agent and trace id of the call that started the current phase, for the audit.
  visit jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create index user_imports_at_work on user_imports (id) where state in ('applying', 'takingBack');
create index user_imports_by_creation on user_imports (created_at);

-- A line of the file.
create table user_import_rows (
  import_id text not null references user_imports (id) on delete cascade,
  line integer not null,
  -- The user that the line describes.
  person jsonb not null,
  -- `kept`: the user had changed since the import, so that undoing it left them.
  state text not null default 'valid' check (state in ('valid', 'faulty', 'added', 'takenBack', 'kept')),
  -- The error of a faulty row; null for others.
  fault_column text,
  fault_code text,
  -- The added user, with their version after the import; null before.
  user_id text,
  version bigint,
  primary key (import_id, line)
);

create index user_import_rows_state on user_import_rows (import_id, state, line);
