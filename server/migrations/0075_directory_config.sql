-- The brandings of organisations that have a name or a logo of their own.
create view config_org_brandings as
  select b.org_id as id, o.slug as org, b.name, b.logo
  from org_brandings b join orgs o on o.id = b.org_id and o.deleted_at is null
  where b.name is not null or b.logo is not null;
