-- The login of the session in which a personal token was created: the token ends with it. Null if it is unknown, as for most tokens
-- from before this migration: such a token ends with the last login of the account.
alter table personal_tokens add column login_id text;

update personal_tokens t set login_id = l.id
from logins l
where l.user_id = t.user_id and l.linked_at <= t.created_at
  and not exists (select from logins o where o.user_id = t.user_id and o.id <> l.id);
