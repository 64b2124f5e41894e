-- A sign-in attempt that has been answered by the identity provider. A second response to it is rejected.
create table spent_attempts (
  state_hash text primary key,
  expires_at timestamptz(3) not null
);

-- Expired attempts, for the job that removes them.
create index spent_attempts_expiry on spent_attempts (expires_at);

-- What a sign-in reads, and what it writes: each in one statement, in which every table has a view of this feature.

-- A login with its user, for a sign-in.
create view sign_in_accounts as
  select l.issuer, l.subject, l.id as login_id, l.user_id, u.display_name, u.email,
    u.disabled_at is null and u.deleted_at is null as is_enabled,
    u.last_sign_in_at is null as is_first,
    not exists (select from new_device_opt_outs o where o.user_id = u.id) as is_notified,
    u.email_verified, l.given,
    exists (
      select from scim_users s where s.user_id = u.id and s.governs = 'account' and s.released_at is null) as is_provisioned
  from logins l join users u on u.id = l.user_id;

create view sign_in_users as select id, last_sign_in_at from users where disabled_at is null and deleted_at is null;

create view sign_in_logins as select id, label, last_used_at from logins;

create view sign_in_browsers as select id, user_id, token_hash, last_sign_in_at from known_browsers;

create view sign_in_sessions as
  select token_hash, id, user_id, login_id, browser_id, idp, auth_time, amr, acr, ip, user_agent, interaction,
    provider_session, upstream_id_token, expires_at
  from sessions;

create view sign_in_events as
  select id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id, support_code
  from audit_events;
