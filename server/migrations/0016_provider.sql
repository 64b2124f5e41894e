-- A device code is found by the code that the person types.
alter table provider_artifacts add column user_code_hash text;
create unique index provider_artifacts_user_code on provider_artifacts (issuer, user_code_hash) where user_code_hash is not null;
