-- A picture or a model that avatars refer to. Deleted some minutes after the last reference.
create table avatar_files (
  -- SHA-256 of the content, in hexadecimal.
  hash text primary key,
  type text not null check (type in ('image/png', 'model/gltf-binary')),
  content bytea not null,
  -- The last time that an avatar began to refer to it.
  used_at timestamptz(3) not null default now()
);

-- Compression would gain nothing, and every read of a range would decompress the whole content.
alter table avatar_files alter column content set storage external;

-- The picture and the model of a user, with their sources.
create table avatars (
  user_id text primary key references users (id) on delete cascade,
  png_hash text references avatar_files (hash),
  png_source text check (png_source in ('upload', 'url', 'poster', 'legacy-readyplayerme')),
  glb_hash text references avatar_files (hash),
  glb_source text check (glb_source in ('upload', 'url', 'legacy-readyplayerme')),
  updated_at timestamptz(3) not null default now(),
  check ((png_hash is null) = (png_source is null)),
  check ((glb_hash is null) = (glb_source is null))
);

create index avatars_png on avatars (png_hash);
create index avatars_glb on avatars (glb_hash);

create or replace view profiles as
  select u.id, u.username, u.display_name, u.email, u.disabled_at, u.created_at, u.updated_at, u.version, u.sort_name,
    u.search_words, a.png_hash, a.png_source, a.glb_hash, a.glb_source, a.updated_at as avatar_updated_at
  from users u left join avatars a on a.user_id = u.id
  where u.deleted_at is null;

create or replace view user_rows as
  select u.id, u.username, u.display_name, u.email, u.email_verified, u.disabled_at, u.deleted_at, u.left_behind,
    u.created_at, u.updated_at, u.last_sign_in_at,
    (u.version + coalesce((
      select sum(o.people_version) from org_members m join orgs o on o.id = m.org_id where m.user_id = u.id), 0)
    )::integer as version,
    u.sort_name,
    case when u.disabled_at is not null then 'disabled' when u.activated_at is null then 'invited' else 'active' end
      as status,
    array(select m.role from role_members m where m.user_id = u.id order by m.role) as roles,
    array(select r.role from effective_roles r where r.user_id = u.id order by r.role) as effective_roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from users u;

create or replace view session_callers as
  select
    s.token_hash, s.id as session_id, s.login_id, s.idp, s.auth_time, s.amr, s.interaction, s.provider_session,
    s.last_seen_at, s.expires_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from sessions s
  join users u on u.id = s.user_id
  where u.disabled_at is null and u.deleted_at is null;

create or replace view token_callers as
  select a.id_hash, a.expires_at, u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select p.png_hash from avatars p where p.user_id = u.id) as picture_hash
  from provider_artifacts a
  join provider_artifacts g on g.issuer = a.issuer and g.kind = 'Grant' and g.expires_at > now()
    -- The hash under which a grant is stored: SHA-256 of its id, as base64url.
    and g.id_hash = rtrim(translate(encode(sha256(convert_to(a.grant_id, 'UTF8')), 'base64'), '+/', '-_'), '=')
  join users u on u.id = a.account_id
  where a.issuer = 'passport' and a.kind = 'AccessToken' and u.disabled_at is null and u.deleted_at is null;

create or replace view personal_token_callers as
  select t.token_hash, t.id as token_id, t.scopes, t.created_at, t.expires_at, t.last_used_at,
    u.id as user_id, u.username, u.display_name, u.email,
    array(select role from effective_roles r where r.user_id = u.id order by role) as roles,
    coalesce((select o.orgs from orgs_of_users o where o.user_id = u.id), '[]') as orgs,
    (select a.png_hash from avatars a where a.user_id = u.id) as picture_hash
  from personal_tokens t
  join users u on u.id = t.user_id
  where u.disabled_at is null and u.deleted_at is null;
