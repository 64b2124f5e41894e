-- By which login someone was signed in when they made a grant: it ends when that login is taken away.
alter table provider_artifacts add column login_id text;

-- By the session that the issuer keeps, ours is found.
create index sessions_by_provider_session on sessions (provider_session) where provider_session is not null;
