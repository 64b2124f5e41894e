-- What one server did in one minute: its responses by route and code, and other events that are counted like them:
-- `sign-in` with `succeeded` or the reason of a failure, and `sessions`, the number of active ones.
create table activity_minutes (
  minute timestamptz(3) not null,
  -- The id of the server, or empty for a number of the whole installation.
  instance text not null,
  -- A method and the pattern of a path: `GET /passport/groups/{id}`.
  route text not null,
  -- The code of the problem, or the status of any other response.
  code text not null,
  -- Null for events that are no responses.
  status smallint,
  count bigint not null,
  -- The number of responses within each of the 11 limits of `http/activity.ts`, without those within a lower one, and the rest.
  buckets bigint[] not null,
  primary key (minute, instance, route, code)
);

-- The sums of all servers in one hour, of the rows above that are older than a day.
create table activity_hours (
  hour timestamptz(3) not null,
  route text not null,
  code text not null,
  status smallint,
  count bigint not null,
  buckets bigint[] not null,
  primary key (hour, route, code)
);

-- A running server, which updates its row every 15 seconds and deletes it when it stops.
create table instances (
  id text primary key,
  version text not null,
  commit text,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null default now(),
  rss_bytes bigint not null,
  event_loop_lag_ms real not null
);

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

-- Adds the numbers of two histograms.
create function add_buckets(a bigint[], b bigint[]) returns bigint[] language sql immutable
begin atomic
  select array_agg(x + y order by position) from unnest(a, b) with ordinality as sums (x, y, position);
end;

-- The activity of all servers by hour, before and after it is folded. An hour may have several rows of a route and a code.
create view activity_rows as
  select date_trunc('hour', minute, 'UTC') as hour, route, code, status, count, buckets from activity_minutes
  union all
  select hour, route, code, status, count, buckets from activity_hours;
