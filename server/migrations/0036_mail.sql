-- Letters on their way. They are written with what they tell of, and sent afterwards.
create table mails (
  id text primary key,
  recipient text not null,
  subject text not null,
  -- Text and HTML, which may hold links that open something; gone once it is sent or given up.
  sealed_content text,
  created_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'off')),
  ended_at timestamptz(3),
  -- What the mail server said last.
  told text
);

create index mails_due on mails (due_at) where state = 'queued';
create index mails_ended on mails (ended_at) where state <> 'queued';

create function tell_of_mail() returns trigger language plpgsql as $$
begin
  perform pg_notify('mail', '');
  return null;
end $$;

create trigger mails_added after insert on mails
  for each statement execute function tell_of_mail();
