-- An email in the queue, written in the transaction that causes it and sent after the commit.
create table mails (
  id text primary key,
  recipient text not null,
  subject text not null,
  -- Text and HTML, sealed because of secret links; null once the mail is sent or given up.
  sealed_content text,
  created_at timestamptz(3) not null default now(),
  -- Of the next attempt.
  -- Unrounded, so that a new row is due at once.
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  -- `off`: there was no mail server.
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'off')),
  ended_at timestamptz(3),
  -- The last response of the mail server.
  failure text,
  kind text,
  -- Until when its content is true: it is not sent later, and its content is deleted.
  valid_until timestamptz not null default now() + interval '7 days',
  -- When it was last queued, by its cause or by an administrator. It is retried for a day.
  queued_at timestamptz(3) not null default now(),
  -- The response of the mail server that accepted it.
  response text,
  search_words tsvector not null generated always as (words_of_address(recipient)) stored,
  -- Of an email that waits because its recipient got enough of its kind in a day: how many it stands for. Later ones replace
  -- its content, and the latest is sent a day after the first.
  held_count integer not null default 0
);

create index mails_due on mails (due_at) where state = 'queued';
create index mails_ended on mails (ended_at) where state <> 'queued';
create index mails_by_time on mails (created_at, id);
create index mails_by_state on mails (state, created_at, id);
-- The contents of failed emails, which can be sent again.
create index mails_sealed on mails (valid_until) where state = 'failed' and sealed_content is not null;
create index mails_search on mails using gin (search_words);
create unique index mails_held on mails (recipient, kind) where state = 'queued' and held_count > 0 and attempts = 0;
create index mails_by_recipient on mails (recipient, kind, created_at);

-- Notifies servers of mails to send.
create function notify_mail() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('mail', '');
  return null;
end $$;

-- Emails that failed and can be sent again, besides invitations and tests: others count those, or nobody waits for them.
create view undelivered_mails as
  select id from mails
  where state = 'failed' and sealed_content is not null and valid_until > now()
    and kind is distinct from 'invitation' and kind is distinct from 'test';

create trigger mails_added after insert on mails
  for each statement execute function notify_mail();
