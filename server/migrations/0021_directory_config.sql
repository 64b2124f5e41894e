-- The structure of the directory, as it is written to a file.

-- Roles by name.
create view config_roles as
  select name, description, built_in from roles;

-- Organisations with all their domains, verified or not.
create view config_orgs as
  select o.id, o.slug, o.name, array(select d.domain from org_domains d where d.org_id = o.id) as domains
  from orgs o where o.deleted_at is null;

-- Groups with their roles. `folded_name` identifies a group in its organisation.
create view config_groups as
  select g.id, o.slug as org, g.name, lower(g.name) as folded_name, g.description,
    array(select r.role from group_roles r where r.group_id = g.id) as roles
  from groups g left join orgs o on o.id = g.org_id
  where g.deleted_at is null;
