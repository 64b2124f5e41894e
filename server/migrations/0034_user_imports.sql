-- Files of people who are added a few at a time: what is done is seen here alone, so that any process can go on.
create table user_imports (
  id text primary key,
  state text not null check (state in ('checked', 'applying', 'applied', 'takingBack', 'takenBack')),
  created_by text not null,
  row_count integer not null default 0,
  -- Of whoever set it off last, for the audit.
  visit jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create index user_imports_at_work on user_imports (id) where state in ('applying', 'takingBack');
create index user_imports_by_creation on user_imports (created_at);

create table user_import_rows (
  import_id text not null references user_imports (id) on delete cascade,
  line integer not null,
  -- The person that the row describes.
  person jsonb not null,
  state text not null default 'valid' check (state in ('valid', 'faulty', 'added', 'takenBack', 'kept')),
  -- What is wrong.
  fault_column text,
  fault_code text,
  user_id text,
  -- Of the person once they were added.
  version bigint,
  primary key (import_id, line)
);

create index user_import_rows_state on user_import_rows (import_id, state, line);
