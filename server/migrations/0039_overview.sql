-- What the home page of administrators counts. Each view is read by the index that its column has in its table.

-- Attempts to sign in that ended, with the user of a success or the reason of a failure: those of the sign-in log.
create view sign_in_attempts as
  select at, action, actor_id, reason from audit_events
  where action in ('signin.succeeded', 'signin.failed', 'directory.password-refused', 'directory.locked');

-- Accounts that the built-in directory locked after wrong passwords.
create view directory_locks as
  select at from audit_events where action = 'directory.locked';

-- Users who are not deleted, with their last sign-in as the index has it.
create view counted_users as
  select created_at, disabled_at, activated_at, coalesce(last_sign_in_at, '-infinity') as last_sign_in_at
  from users where deleted_at is null;

-- The users who can administer the console.
create view overview_administrators as
  select user_id from administrators;

-- Invitations that nobody accepted or revoked, with the state of their mail.
create view open_invitations as
  select i.expires_at, i.claimed_by, coalesce(m.state, 'sent') as mail
  from invitations i left join mails m on m.id = i.mail_id
  where i.accepted_at is null and i.revoked_at is null;

-- Domains that an organisation may lose, or has lost, because their DNS record is missing.
create view failing_domains as
  select d.domain, o.id as org_id, o.name as org_name from org_domains d join orgs o on o.id = d.org_id and o.deleted_at is null
  where d.failing_since is not null or d.status = 'lapsed';

-- The newest changes of each subject of the audit trail that a change of the directory or of its access has. Sign-ins are
-- not read: they outnumber the changes.
create view newest_changes as
  select e.id, e.at
  from unnest(array[
    'user', 'users', 'role', 'org', 'group', 'invitation', 'join-link', 'permissions', 'audit', 'trash']) subject
  cross join lateral (
    select id, at from audit_events where split_part(action, '.', 1) = subject order by at desc, id desc limit 8) e;

-- The first steps of an installation that were taken.
create view setup_steps as
  select
    exists (select from branding where updated_at is not null) as has_branding,
    exists (select from orgs where deleted_at is null) as has_org,
    exists (select from invitations) as has_invited,
    exists (select from clients where source <> 'built-in' and deleted_at is null) as has_client,
    exists (select from permission_schemas) as has_permissions;
