-- The sign-in log, of which most filters select a small part.
create index audit_events_of_sign_ins on audit_events (at, id)
  where action in ('signin.succeeded', 'signin.failed', 'directory.password-refused', 'directory.locked');

-- The attempts to sign in that the home page counts are those of the sign-in log.
create or replace view sign_in_attempts as
  select at, action, actor_id, reason from audit_events
  where action in ('signin.succeeded', 'signin.failed', 'directory.password-refused', 'directory.locked');
