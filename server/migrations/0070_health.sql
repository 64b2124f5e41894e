-- The result of a check in one minute, of the last 24 hours.
create table health_samples (
  name text not null,
  minute timestamptz(3) not null,
  status text not null check (status in ('ok', 'slow', 'down')),
  -- Null for a failed check.
  latency_ms real,
  primary key (name, minute)
);

create index health_samples_by_minute on health_samples (minute);

-- The state of a check as the last sample left it, and since when it has been in that state.
create table health_states (
  name text primary key,
  status text not null check (status in ('ok', 'slow', 'down', 'off')),
  since timestamptz(3) not null
);
