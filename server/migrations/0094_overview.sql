-- The first steps of an installation that were taken, as far as its database shows them.
drop view setup_steps;
create view setup_steps as
  select
    exists (select from branding where updated_at is not null) as has_branding,
    exists (select from orgs where deleted_at is null) as has_org,
    exists (select from invitations) as has_invited,
    exists (select from clients where source <> 'built-in' and deleted_at is null) as has_client,
    exists (select from permission_schemas) as has_permissions;
