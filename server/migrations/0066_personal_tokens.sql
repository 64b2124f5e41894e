-- When its user was reminded that it expires soon; null if that is not due, or is due.
alter table personal_tokens add column reminded_at timestamptz(3);

create index personal_tokens_to_remind on personal_tokens (expires_at) where reminded_at is null;
