-- The kind of an email; null for those before this migration.
alter table mails add column kind text;
-- Until when its content is true: it is not sent later, and its content is deleted.
alter table mails add column valid_until timestamptz not null default now() + interval '7 days';

-- Labels and values of the change, such as the device: [["Device", "Firefox 131 on Linux"]].
alter table notices add column facts jsonb not null default '[]';
