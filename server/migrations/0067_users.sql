-- A username that was given up stays nobody else's for its time, also where whoever had it is removed for good before.
-- Then only the name and when it was given up are kept, and no longer than they are needed.
alter table released_usernames
  alter column user_id drop not null,
  drop constraint released_usernames_user_id_fkey,
  add constraint released_usernames_user_id_fkey foreign key (user_id) references users (id) on delete set null;

create index released_usernames_by_time on released_usernames (released_at);

-- People are told with the names of their organisations. Rather than writing everyone anew where one of these is renamed,
-- deleted or brought back, the version of a person counts that of their organisations in.
alter table orgs add column people_version bigint not null default 0;

create function count_people_version() returns trigger language plpgsql as $$
begin
  new.people_version := old.people_version + 1;
  return new;
end $$;

create trigger orgs_told_otherwise before update of name, deleted_at on orgs for each row
  when (old.name is distinct from new.name or old.deleted_at is distinct from new.deleted_at)
  execute function count_people_version();

-- Whoever leaves keeps what was counted in: no version of a person comes twice.
create function touch_people_who_left() returns trigger language plpgsql as $$
begin
  update users set updated_at = now(), version = version + 1 + coalesce((
    select sum(o.people_version) from concerned c join orgs o on o.id = c.org_id where c.user_id = users.id), 0)
  where id in (select user_id from concerned);
  return null;
end $$;

drop trigger org_people_left on org_members;
create trigger org_people_left after delete on org_members
  referencing old table as concerned for each statement execute function touch_people_who_left();

create or replace view user_rows as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at, u.deleted_at, u.left_behind,
    u.created_at, u.updated_at, u.last_sign_in_at,
    (u.version + coalesce((
      select sum(o.people_version) from org_members m join orgs o on o.id = m.org_id where m.user_id = u.id), 0)
    )::integer as version,
    u.sort_name,
    case when u.disabled_at is not null then 'disabled' when u.activated_at is null then 'invited' else 'active' end
      as status,
    array(select m.role from role_members m where m.user_id = u.id order by m.role) as roles,
    array(select r.role from effective_roles r where r.user_id = u.id order by r.role) as effective_roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs
  from users u;
