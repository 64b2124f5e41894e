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

-- What the browser of a set-up link does has the link as its actor.
create or replace view audit_entries as
  select e.*,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id),
      (select c.name from clients c where e.actor_id = 'client:' || c.client_id),
      case when e.actor_id like 'setup:%' then 'A set-up link' end
    ) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'identity-api' then (select a.display_name from identity_apis a where a.id = e.target_id)
      when 'aws-product' then (select p.name from aws_products p where p.id = e.target_id)
      when 'aws-subscription' then (select p.name || ' for account ' || s.customer_aws_account_id
        from aws_subscriptions s join aws_products p on p.id = s.product_id where s.id = e.target_id)
      when 'entitlement' then (select n.name from entitlements n where n.id = e.target_id)
      when 'role' then e.target_id
      when 'content' then content_name(split_part(e.target_id, '/', 1), split_part(e.target_id, '/', 2))
    end as target_name
  from audit_events e;
