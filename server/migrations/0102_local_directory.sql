-- Notifies servers, which remember the demo users that the sign-in page offers.
create function notify_demo_users_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('demo_users', '');
  return null;
end $$;

create trigger demo_user_added after insert on directory_people
  for each row when (new.is_cast) execute function notify_demo_users_changed();
create trigger demo_user_removed after delete on directory_people
  for each row when (old.is_cast) execute function notify_demo_users_changed();
