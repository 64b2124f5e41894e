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
  failure text
);

create index mails_due on mails (due_at) where state = 'queued';
create index mails_ended on mails (ended_at) where state <> 'queued';

-- Notifies servers of mails to send.
create function notify_mail() returns trigger language plpgsql as $$
begin
  perform pg_notify('mail', '');
  return null;
end $$;

create trigger mails_added after insert on mails
  for each statement execute function notify_mail();
