-- The structure of the directory, as it is written to a file.

-- Roles by name.
create view config_roles as
  select name, description, built_in from roles;

-- Organisations with all their domains, verified or not.
create view config_orgs as
  select o.id, o.slug, o.name, array(select d.domain from org_domains d where d.org_id = o.id) as domains
  from orgs o where o.deleted_at is null;

-- Groups with their roles. `folded_name` identifies a group in its organisation: a name that several groups have identifies
-- none of them, so that the file has none of them.
create view config_groups as
  select g.id, o.slug as org, g.name, lower(g.name) as folded_name, g.description,
    array(select r.role from group_roles r where r.group_id = g.id) as roles
  from groups g left join orgs o on o.id = g.org_id
  where g.deleted_at is null and not (g.shares_name and exists (
    select from groups n
    where coalesce(n.org_id, '') = coalesce(g.org_id, '') and lower(n.name) = lower(g.name) and n.deleted_at is null
      and n.shares_name and n.id <> g.id));

-- The brandings of organisations that have a name or a logo of their own.
create view config_org_brandings as
  select b.org_id as id, o.slug as org, b.name, b.logo
  from org_brandings b join orgs o on o.id = b.org_id and o.deleted_at is null
  where b.name is not null or b.logo is not null;
