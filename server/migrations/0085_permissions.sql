-- Whoever is in the audit of a transaction changed what it changed: a person, or a client under `client:` and its id.
create or replace function tell_actor() returns trigger language plpgsql as $$
begin
  perform set_config('passport.actor', case when starts_with(new.actor_id, 'client:') then '' else 'user:' end || new.actor_id, true);
  return null;
end $$;
