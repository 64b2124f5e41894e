-- A link by which users join an organisation or a group.
create table join_links (
  id text primary key,
  token_hash text not null unique,
  org_id text references orgs (id) on delete cascade,
  group_id text references groups (id) on delete cascade,
  role text not null check (role in ('member', 'admin')),
  -- Null for no limit.
  max_uses integer check (max_uses > 0),
  used integer not null default 0 check (used <= max_uses),
  -- Null if the link does not expire.
  expires_at timestamptz(3),
  -- Only users with a verified email of one of these domains may join; empty for no restriction.
  domains text[] not null default '{}',
  -- Only the user with this verified email may join; null for no restriction.
  email text,
  created_by text not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  stopped_at timestamptz(3),
  -- Whether the creator of a link had signed in recently. Other links lead to no group with roles.
  may_give_roles boolean not null default false,
  check (num_nonnulls(org_id, group_id) = 1),
  check (group_id is null or role = 'member')
);

create index join_links_of_org on join_links (org_id, created_at, id);
create index join_links_of_group on join_links (group_id, created_at, id);
create index join_links_by_creator on join_links (created_by);

-- Links with the names of their target and their creator, and whether they can still be used.
create view listed_join_links as
  select l.*,
    case when l.org_id is null then 'group' else 'org' end as kind,
    coalesce(l.org_id, l.group_id) as target_id,
    coalesce(o.name, g.name) as target_name,
    coalesce(g.description, '') as target_description,
    coalesce(o.deleted_at, g.deleted_at) is not null as is_target_deleted,
    coalesce(u.display_name, u.username) as maker_name,
    case
      when l.stopped_at is not null then 'stopped'
      when l.expires_at <= now() then 'expired'
      when l.used >= l.max_uses then 'used'
      else 'open'
    end as status
  from join_links l
  left join orgs o on o.id = l.org_id
  left join groups g on g.id = l.group_id
  join users u on u.id = l.created_by;
