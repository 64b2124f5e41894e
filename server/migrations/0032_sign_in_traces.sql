-- A request of a sign-in, with its steps, for the support of users. Rows are kept for 30 days.
create table sign_in_traces (
  id text primary key,
  at timestamptz(3) not null,
  trace_id text not null,
  -- What was requested: `start`, `callback`, `token` and others.
  kind text not null,
  -- `pending` if the sign-in continues with another request.
  result text not null check (result in ('succeeded', 'failed', 'pending')),
  -- The code of the failure.
  reason text,
  -- What the requests of one sign-in have in common, such as the hash of its state or its code.
  keys text[] not null,
  provider text,
  client_id text,
  user_id text,
  -- The domain of the email address that the user entered.
  domain text,
  ip text not null,
  user_agent text not null,
  -- Names, times in milliseconds since the start of the request, and details, which have no secrets.
  steps jsonb not null,
  -- As in `audit_events`.
  support_code text
);

create index sign_in_traces_by_key on sign_in_traces using gin (keys);
create index sign_in_traces_by_time on sign_in_traces (at, id);
create index sign_in_traces_of_failures on sign_in_traces (at, id) where result = 'failed';
create index sign_in_traces_by_support_code on sign_in_traces (coalesce(support_code, left(trace_id, 8)));
create index sign_in_traces_by_trace_id on sign_in_traces (trace_id);
