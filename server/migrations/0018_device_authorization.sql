-- The browser that began a request is told how it stands, by whichever process it is connected to.
create function tell_of_device() returns trigger language plpgsql as $$
begin
  if new.session_id is not null then
    perform pg_notify('device_authorizations', new.session_id);
  end if;
  return null;
end $$;

create trigger device_authorizations_changed after insert or update of viewed_at, decision on device_authorizations
  for each row execute function tell_of_device();
