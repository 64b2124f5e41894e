-- The codes and tokens, most of the artifacts, in a table of their own: ids are random, written once and only compared
-- for equality, so an entry of their hash index is 20 bytes, where one of the primary key was 84, and a look-up reads one
-- page of it at any size. The table inherits: whatever reads, spends or deletes artifacts finds these as well, and the
-- former release, which adds its tokens to the other table, can run beside this one.
create table provider_tokens (
  check (kind in ('AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials'))
) inherits (provider_artifacts)
-- A code or a token is spent once, without an entry in any index if its page has room.
with (fillfactor = 85);

create index provider_tokens_id on provider_tokens using hash (id_hash);
-- The tokens of a grant are among those of its user.
create index provider_tokens_account on provider_tokens (account_id) where account_id is not null;
create index provider_tokens_expiry on provider_tokens (expires_at);

create trigger client_tokens_ended after delete on provider_tokens
  for each row when (old.kind = 'ClientCredentials' and old.expires_at > now())
  execute function notify_client_token_ended();

-- The grants and sessions that tokens depend on are read by each use of a token, and found in the same way.
create index provider_artifacts_id on provider_artifacts using hash (id_hash);
drop index provider_artifacts_uid;
create index provider_artifacts_uid on provider_artifacts using hash (uid) where uid is not null;
