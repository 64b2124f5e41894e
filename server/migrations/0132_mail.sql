-- Of an email that waits because its recipient got enough of its kind in a day: how many it stands for. Later ones replace
-- its content, and the latest is sent a day after the first.
alter table mails add column held_count integer not null default 0;

create unique index mails_held on mails (recipient, kind) where state = 'queued' and held_count > 0 and attempts = 0;
create index mails_by_recipient on mails (recipient, kind, created_at);
