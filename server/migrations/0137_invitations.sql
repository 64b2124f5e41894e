-- Only an email had the current link, so that who has it reads the mail of the invited address. Nothing is known about
-- earlier links.
alter table invitations add column is_mailed boolean not null default false;

create or replace view listed_invitations as
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
