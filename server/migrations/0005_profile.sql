-- A username that a user gave up. Other users cannot take it for some time, so that they are not mistaken for the user.
create table released_usernames (
  -- Null once the user is purged: the name stays reserved for its time.
  user_id text references users (id) on delete set null,
  username text not null,
  released_at timestamptz(3) not null default now()
);

create index released_usernames_by_name on released_usernames (lower(username), released_at);
create index released_usernames_by_user on released_usernames (user_id, released_at);
create index released_usernames_by_time on released_usernames (released_at);

-- A picture or a model that avatars refer to. Deleted some minutes after the last reference.
create table avatar_files (
  -- SHA-256 of the content, in hexadecimal.
  hash text primary key,
  type text not null check (type in ('image/png', 'model/gltf-binary')),
  content bytea not null,
  -- The last time that an avatar began to refer to it.
  used_at timestamptz(3) not null default now(),
  -- A picture at the size of lists, as PNG. Null for models.
  small bytea
);
-- Compression would gain nothing, and every read of a range would decompress the whole content.
alter table avatar_files alter column content set storage external, alter column small set storage external;

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

-- An avatar of a user that was archived when the service Ready Player Me ended. Kept when the user chooses another one.
create table archived_avatars (
  user_id text primary key references users (id) on delete cascade,
  -- The id at Ready Player Me.
  avatar_id text not null,
  png_hash text references avatar_files (hash),
  glb_hash text references avatar_files (hash),
  archived_at timestamptz(3) not null default now(),
  check (png_hash is not null or glb_hash is not null)
);

create index archived_avatars_png on archived_avatars (png_hash);
create index archived_avatars_glb on archived_avatars (glb_hash);

-- What acquaintances may see of a user.
create view profiles as
  select u.id, u.username, u.display_name, u.email, u.disabled_at, u.created_at, u.updated_at, u.version, u.sort_name,
    u.search_words, a.png_hash, a.png_source, a.glb_hash, a.glb_source, a.updated_at as avatar_updated_at, u.address_words
  from users u left join avatars a on a.user_id = u.id
  where u.deleted_at is null;
