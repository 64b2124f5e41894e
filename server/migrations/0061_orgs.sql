-- Organisations are told with the people who are in them: whoever joins, leaves or becomes something else there has
-- changed, and a version of them that was read before is an older one.
create function touch_org_people() returns trigger language plpgsql as $$
begin
  update users set updated_at = now(), version = version + 1 where id in (select user_id from concerned);
  return null;
end $$;

create trigger org_people_came after insert on org_members
  referencing new table as concerned for each statement execute function touch_org_people();
create trigger org_people_changed after update on org_members
  referencing new table as concerned for each statement execute function touch_org_people();
create trigger org_people_left after delete on org_members
  referencing old table as concerned for each statement execute function touch_org_people();
