-- What must hold of permissions, in the order of the ids; `content` is that of the contract.
create table permission_assertions (
  id text primary key,
  content jsonb not null,
  created_at timestamptz(3) not null default now()
);
