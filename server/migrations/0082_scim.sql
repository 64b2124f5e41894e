-- A token with which the identity provider of a customer provisions an organisation by SCIM (RFC 7644). Expired and revoked
-- tokens stay for 30 days, so that the log of requests can name them.
create table scim_tokens (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  name text not null,
  -- SHA-256
  token_hash text not null unique,
  -- The first characters of the value, by which an administrator recognises it.
  start text not null,
  created_at timestamptz(3) not null default now(),
  -- A user id; null for a token that a set-up link created.
  created_by text,
  from_setup_link boolean not null default false,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  -- To the minute.
  last_used_at timestamptz(3),
  last_used_ip text
);

create index scim_tokens_org on scim_tokens (org_id, created_at);
create index scim_tokens_ended on scim_tokens (least(expires_at, revoked_at));

-- SCIM tokens with the names of their creators. A token counts only while the organisation is not deleted.
create view scim_token_rows as
  select t.id, t.org_id, t.name, t.token_hash, t.start, t.created_at, t.from_setup_link, t.expires_at, t.last_used_at,
    t.last_used_ip, t.created_by, c.tenant_id::text as tenant_id, coalesce(u.display_name, u.username, u.email) as creator_name,
    case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired' else 'live' end as state
  from scim_tokens t
  join orgs o on o.id = t.org_id and o.deleted_at is null
  join entra_connections c on c.org_id = t.org_id
  left join users u on u.id = t.created_by;

-- A request of a SCIM client, redacted. The last 200 of an organisation are kept, for 30 days.
create table scim_requests (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  at timestamptz(3) not null default now(),
  token_id text references scim_tokens (id) on delete set null,
  method text not null,
  path text not null,
  status integer not null,
  duration_ms integer not null,
  -- `{scimType, detail, help}`; null for a success.
  error jsonb,
  notes text[] not null default '{}',
  request_body text,
  response_body text,
  ip text not null,
  user_agent text not null,
  trace_id text not null
);

create index scim_requests_org on scim_requests (org_id, at, id);
create index scim_requests_token on scim_requests (token_id);
create index scim_requests_by_time on scim_requests (at);

create view scim_request_rows as
  select r.id, r.org_id, r.at, r.method, r.path, r.status, r.duration_ms, r.error, r.notes, r.request_body, r.response_body,
    r.ip, r.user_agent, r.trace_id,
    case when t.id is not null then jsonb_build_object('id', t.id, 'name', t.name) end as token
  from scim_requests r left join scim_tokens t on t.id = r.token_id;
