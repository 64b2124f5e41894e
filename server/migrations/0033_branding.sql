-- The pictures and style sheets of brandings, by the SHA-256 of their content. One that no branding refers to is deleted an
-- hour after its last use.
create table branding_files (
  hash text primary key,
  type text not null check (type in ('image/png', 'text/css')),
  content bytea not null,
  -- The picture scaled down for emails; null for a style sheet.
  small bytea,
  -- In pixels; 0 for a style sheet.
  width integer not null,
  height integer not null,
  used_at timestamptz(3) not null default now()
);

-- The branding of the installation, as administrators saved it: one row. Null means the configuration or the default.
create table branding (
  id boolean primary key default true check (id),
  name text,
  logo text references branding_files,
  favicon text references branding_files,
  -- The accent colour of each theme, as #rrggbb, and the style sheet with both.
  accent_light text,
  accent_dark text,
  stylesheet text references branding_files,
  support_url text,
  -- What every change increments, for If-Match.
  revision integer not null default 0,
  -- Null before the first change.
  updated_at timestamptz(3),
  -- The id of an actor, as in `audit_events`.
  updated_by text
);

insert into branding default values;

-- The name and the logo that the users of an organisation see. Null means those of the installation.
create table org_brandings (
  org_id text primary key references orgs on delete cascade,
  name text,
  logo text references branding_files,
  revision integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  updated_by text
);

create index org_brandings_logo on org_brandings (logo) where logo is not null;

-- Notifies servers, which keep the branding of the installation in memory, to read it again.
create function notify_branding_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('branding', '');
  return null;
end $$;

create trigger branding_changed after insert or update or delete on branding
  for each statement execute function notify_branding_changed();
