-- When it was last queued, by its cause or by an administrator. It is retried for a day.
alter table mails add column queued_at timestamptz(3) not null default now();
update mails set queued_at = created_at where state = 'queued';

-- The response of the mail server that accepted it.
alter table mails add column response text;

alter table mails add column search_words tsvector not null generated always as (words_of(recipient)) stored;

create index mails_search on mails using gin (search_words);
create index mails_by_time on mails (created_at, id);
create index mails_by_state on mails (state, created_at, id);
-- The contents of failed emails, which can be sent again.
create index mails_sealed on mails (valid_until) where state = 'failed' and sealed_content is not null;

-- Emails that failed and can be sent again, besides invitations and tests: others count those, or nobody waits for them.
create view undelivered_mails as
  select id from mails
  where state = 'failed' and sealed_content is not null and valid_until > now()
    and kind is distinct from 'invitation' and kind is distinct from 'test';
