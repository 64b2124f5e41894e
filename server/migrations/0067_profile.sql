-- A username that was given up stays nobody else's for its time, also where whoever had it is removed for good before.
-- Then only the name and when it was given up are kept, and no longer than they are needed.
alter table released_usernames
  alter column user_id drop not null,
  drop constraint released_usernames_user_id_fkey,
  add constraint released_usernames_user_id_fkey foreign key (user_id) references users (id) on delete set null;

create index released_usernames_by_time on released_usernames (released_at);
