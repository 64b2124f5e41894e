-- An invitation by email, to an organisation or to the installation.
create table invitations (
  id text primary key,
  email text not null,
  display_name text,
  -- The account created in advance; null if a user with this email existed.
  user_id text references users (id) on delete cascade,
  -- The account was created for this invitation, and is deleted with it.
  is_own_account boolean not null default false,
  roles text[] not null default '{}',
  org_id text references orgs (id) on delete set null,
  -- Without meaning if `org_id` is null.
  org_role text not null default 'member' check (org_role in ('owner', 'admin', 'member')),
  -- The id of a user.
  invited_by text not null,
  token_hash text not null unique,
  mail_id text not null,
  -- Of the last mail, like `expires_at` and `opened_at`.
  sent_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  opened_at timestamptz(3),
  -- The user who opened the link without the invited email, and waits for the confirmation of an administrator.
  claimed_by text references users (id) on delete set null,
  claimed_at timestamptz(3),
  accepted_by text references users (id) on delete cascade,
  accepted_at timestamptz(3),
  -- The roles, or `org`, that the inviter could no longer grant at the acceptance.
  left_out text[] not null default '{}',
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version bigint not null default 1,
  sort_name text collate "C" not null
    generated always as (plain_text(coalesce(display_name, email))) stored,
  -- Only an email had the current link, so that who has it reads the mail of the invited address.
  is_mailed boolean not null default false
);

create index invitations_by_creation on invitations (created_at, id);
-- An email has one open invitation.
create unique index invitations_by_email on invitations (lower(email)) where accepted_at is null and revoked_at is null;
create index invitations_user on invitations (user_id);
create index invitations_acceptor on invitations (accepted_by);
create index invitations_claimant on invitations (claimed_by);
create index invitations_org on invitations (org_id);
create index invitations_by_name on invitations (sort_name, id);
create index invitations_by_sending on invitations (sent_at, id);
create index invitations_by_expiry on invitations (expires_at, id);

-- Invitations with the names of the records that they refer to. Everyone with the link sees the inviter, so without an
-- email; only administrators see the claimant and the user who accepted.
create view listed_invitations as
  select i.id, i.email, i.display_name, i.user_id, i.roles, i.left_out, i.sent_at, i.expires_at, i.opened_at,
    i.accepted_at, i.created_at, i.version, i.token_hash,
    case
      when i.accepted_at is not null then 'accepted'
      when i.revoked_at is not null then 'revoked'
      when i.claimed_by is not null then 'awaiting-confirmation'
      when i.expires_at <= now() then 'expired'
      when i.opened_at is not null then 'opened'
      else 'sent'
    end as status,
    case when o.id is null then null
      else jsonb_build_object('id', o.id, 'name', o.name, 'role', i.org_role) end as org,
    jsonb_build_object('id', i.invited_by, 'name', coalesce(b.display_name, b.username, i.invited_by)) as inviter,
    case when c.id is null then null
      else jsonb_build_object(
        'id', c.id, 'name', coalesce(c.display_name, c.username, c.email, c.id),
        'email', c.email, 'emailVerified', c.email_verified
      ) end as claimant,
    case when a.id is null then null
      else jsonb_build_object('id', a.id, 'name', coalesce(a.display_name, a.username, a.email, a.id)) end as accepted_by,
    -- An invitation whose link was handed over has no email.
    coalesce(m.state, case when i.mail_id = '' then 'off' else 'sent' end) as mail,
    i.sort_name
  from invitations i
  left join users b on b.id = i.invited_by
  left join users c on c.id = i.claimed_by and i.accepted_at is null
  left join users a on a.id = i.accepted_by
  left join orgs o on o.id = i.org_id and o.deleted_at is null
  left join mails m on m.id = i.mail_id;
