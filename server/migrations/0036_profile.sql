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
