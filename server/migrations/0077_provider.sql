-- Notifies servers, which keep the clients of tokens in memory, of tokens that end before they expire.
create function notify_client_token_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('client_tokens', '');
  return null;
end $$;

create trigger client_tokens_ended after delete on provider_artifacts
  for each row when (old.kind = 'ClientCredentials' and old.expires_at > now())
  execute function notify_client_token_ended();

-- The demo users, whom the sign-in page of a local installation lists.
create index directory_people_demo on directory_people (name) where is_cast;

-- Idle sessions, for the job that removes them.
create index sessions_idle on sessions (last_seen_at);
