-- A link by which an administrator of a customer sets up their organisation. The first browser that opens it gets a
-- cookie, and is the only one that can use it.
create table setup_links (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  -- SHA-256 of the token in the link.
  token_hash text not null unique,
  created_by text not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  -- Until this time it can be opened and, once it is, used.
  expires_at timestamptz(3) not null,
  opened_at timestamptz(3),
  opened_ip text,
  opened_agent text,
  -- SHA-256 of the cookie.
  session_hash text unique,
  ended_at timestamptz(3),
  ended_by text check (ended_by in ('revoked', 'enabled', 'deleted')),
  check ((opened_at is null) = (session_hash is null)),
  check ((ended_at is null) = (ended_by is null))
);

create index setup_links_of_org on setup_links (org_id, created_at, id);
create index setup_links_by_creator on setup_links (created_by);
create index setup_links_by_expiry on setup_links (expires_at);

-- Links with the name of their creator and their status. Those that are `open` or `opened` are live.
create view setup_link_rows as
  select l.*, coalesce(u.display_name, u.username, u.email) as creator_name,
    case
      when l.ended_by = 'revoked' then 'revoked'
      when l.ended_by is not null then 'ended'
      when l.expires_at <= now() then 'expired'
      when l.opened_at is not null then 'opened'
      else 'open'
    end as status
  from setup_links l join users u on u.id = l.created_by;
