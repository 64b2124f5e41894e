-- The request for which a user has signed in continues without another page, so it reads for which one that was.
create or replace view authorization_callers as
  select
    s.token_hash, s.expires_at, s.last_seen_at, s.login_id, s.browser_id, s.auth_time, s.amr, s.acr, s.provider_session,
    u.id as user_id, u.username, u.display_name, u.email, u.email_verified,
    s.interaction
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;
