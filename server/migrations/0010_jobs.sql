-- Work that repeats. Whichever process takes the lease does it.
create table recurring_jobs (
  name text primary key,
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3) not null default '-infinity'
);
