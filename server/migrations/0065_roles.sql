-- When each person last became an administrator, or ceased to be one, by whatever it was: what they see is another then.
create table administration_changes (
  user_id text primary key references users (id) on delete cascade,
  changed_at timestamptz(3) not null
);
