-- Deleted clients can be restored, with their secrets. Their id stays taken.
alter table clients add column deleted_at timestamptz(3);

create index clients_deleted on clients (deleted_at, client_id) where deleted_at is not null;

create or replace view client_rows as
  select c.client_id, c.name as client_name, c.source, c.is_confidential as confidential, c.redirect_uris,
    c.post_logout_redirect_uris, c.backchannel_logout_uri, c.consent, c.grant_types, c.is_pin_required, c.scopes,
    c.id_token_signing_alg, c.enabled, c.created_at, c.updated_at, c.version,
    lower(c.name) collate "C" as sort_name, plain_text(c.name || ' ' || c.client_id) as search_text, u.last_used_at, c.apis
  from clients c left join client_uses u using (client_id)
  where c.deleted_at is null;

create or replace view findable_clients as
  select client_id as id, name, client_id as detail, client_id as handle, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || client_id) as search_words
  from clients where deleted_at is null;

create or replace view setup_steps as
  select
    exists (select from invitations) as has_invited,
    exists (select from clients where source <> 'built-in' and deleted_at is null) as has_client,
    exists (select from groups where deleted_at is null) as has_group,
    exists (select from permission_schemas) as has_permissions;

create view deleted_clients as
  select 'client' as kind, client_id as id, name, client_id as detail, deleted_at from clients where deleted_at is not null;

-- An identity API does not name clients in the trash.
create or replace view identity_api_rows as
  select a.*,
    coalesce(
      (select jsonb_agg(jsonb_build_object('name', s.name, 'description', s.description, 'emphasize', s.emphasize) order by s.place)
        from identity_api_scopes s where s.api_id = a.id),
      '[]') as scopes,
    case when not a.allows_every_client then array(
      select c.client_id from identity_api_clients c join clients using (client_id)
      where c.api_id = a.id and c.part = 'allowed' and clients.deleted_at is null order by c.client_id)
    end as allowed_clients,
    array(
      select c.client_id from identity_api_clients c join clients using (client_id)
      where c.api_id = a.id and c.part = 'resource-server' and clients.deleted_at is null order by c.client_id
    ) as resource_servers,
    lower(a.display_name) collate "C" as sort_name,
    plain_text(a.display_name || ' ' || a.name || ' ' || a.audience) as search_text
  from identity_apis a;
