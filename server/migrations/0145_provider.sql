-- Authorization requests that wait for their users, and pushed ones, as long as their client may get tokens.
create view authorization_requests as
  select r.issuer, r.kind, r.id_hash, r.payload, r.consumed_at, r.expires_at from provider_artifacts r
  where r.issuer = 'passport' and r.kind in ('Interaction', 'PushedAuthorizationRequest') and exists (
    select from usable_clients c where c.client_id = r.payload ->> 'clientId' and r.created_at >= c.not_before
  );
