alter table clients
  -- Whether its authorization requests need a code challenge (RFC 7636). Optional only with a secret, which protects the code as well.
  add column pkce text not null default 'required' check (pkce in ('required', 'optional')),
  add check (pkce = 'required' or is_confidential);

create or replace view client_rows as
  select c.client_id, c.name as client_name, c.source, c.is_confidential as confidential, c.redirect_uris,
    c.post_logout_redirect_uris, c.backchannel_logout_uri, c.consent, c.grant_types, c.is_pin_required, c.scopes,
    c.id_token_signing_alg, c.enabled, c.created_at, c.updated_at, c.version,
    lower(c.name) collate "C" as sort_name, plain_text(c.name || ' ' || c.client_id) as search_text, u.last_used_at, c.apis,
    c.pkce
  from clients c left join client_uses u using (client_id)
  where c.deleted_at is null;
