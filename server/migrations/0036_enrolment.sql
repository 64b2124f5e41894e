-- A link by which the user of an account without a sign-in method sets a password. The first browser that opens it gets a
-- cookie, and is the only one that can use it.
create table enrolment_links (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  -- The invitation that its use accepts; null for an account alone.
  invitation_id text references invitations (id) on delete cascade,
  -- SHA-256 of the token in the link.
  token_hash text not null unique,
  -- The id of a user, or of an application with its prefix.
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  opened_at timestamptz(3),
  -- SHA-256 of the cookie.
  browser_hash text unique,
  ended_at timestamptz(3),
  ended_by text check (ended_by in ('used', 'revoked')),
  check ((opened_at is null) = (browser_hash is null)),
  check ((ended_at is null) = (ended_by is null))
);

-- An account has one link that has not ended.
create unique index enrolment_links_current on enrolment_links (user_id) where ended_at is null;
create index enrolment_links_of_user on enrolment_links (user_id);
create index enrolment_links_of_invitation on enrolment_links (invitation_id);
create index enrolment_links_by_creator on enrolment_links (created_by);
create index enrolment_links_by_expiry on enrolment_links (expires_at);

-- A link does not work again when its user is enabled or restored.
create function end_enrolment_links() returns trigger language plpgsql set search_path from current as $$
begin
  update enrolment_links set ended_at = now(), ended_by = 'revoked' where user_id = new.id and ended_at is null;
  return null;
end $$;

create view enrolment_link_rows as
  select l.*,
    case
      when l.ended_by is not null then l.ended_by
      when l.expires_at <= now() then 'expired'
      when l.opened_at is not null then 'opened'
      else 'open'
    end as status
  from enrolment_links l;

create trigger user_disabled_or_deleted after update of disabled_at, deleted_at on users
  for each row when (
    (old.disabled_at is null and new.disabled_at is not null) or (old.deleted_at is null and new.deleted_at is not null)
  )
  execute function end_enrolment_links();
