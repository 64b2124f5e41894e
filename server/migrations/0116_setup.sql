-- What the browser of a set-up link created, so that revoking the link can end it too. Null for administrators, for tokens
-- from before, and once the link is deleted.
alter table scim_tokens add column setup_link_id text references setup_links (id) on delete set null;
create index scim_tokens_by_setup_link on scim_tokens (setup_link_id) where setup_link_id is not null;
alter table entra_consent_links add column setup_link_id text references setup_links (id) on delete set null;
create index entra_consent_links_by_setup_link on entra_consent_links (setup_link_id) where setup_link_id is not null;

create or replace view scim_token_rows as
  select t.id, t.org_id, t.name, t.token_hash, t.start, t.created_at, t.from_setup_link, t.expires_at, t.last_used_at,
    t.last_used_ip, t.created_by, c.tenant_id::text as tenant_id, coalesce(u.display_name, u.username, u.email) as creator_name,
    case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired' else 'live' end as state,
    t.setup_link_id
  from scim_tokens t
  join orgs o on o.id = t.org_id and o.deleted_at is null
  join entra_connections c on c.org_id = t.org_id
  left join users u on u.id = t.created_by;
