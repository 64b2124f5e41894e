-- People are found by who they are at an identity provider, and by which one they come from.
create index logins_subject on logins (subject);
create index logins_provider on logins (provider_id, user_id);
