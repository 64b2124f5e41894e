-- A bulk load sets `passport.bulk_load` for its transaction: its rows keep the times and versions that they have. To disable
-- the triggers instead would lock the tables against every request.
create or replace function time_group_change() returns trigger language plpgsql set search_path from current as $$
begin
  if current_setting('passport.bulk_load', true) = 'on' then
    return new;
  end if;
  new.updated_at := greatest(change_time(), old.updated_at);
  new.last_modified := greatest(date_trunc('second', new.updated_at), old.last_modified) + interval '1 second';
  return new;
end $$;

create or replace function touch_org_people() returns trigger language plpgsql set search_path from current as $$
begin
  if current_setting('passport.bulk_load', true) = 'on' then
    return null;
  end if;
  update users set updated_at = now(), version = version + 1 where id in (select user_id from concerned);
  return null;
end $$;
