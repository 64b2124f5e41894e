-- A text that administrators write for one place of the product, in one language. A deleted one keeps its row and its versions
-- until the purge.
create table contents (
  slug text not null,
  -- A language tag (BCP 47) in its canonical form.
  locale text not null,
  -- Versions of this text in `content_versions`; null for none.
  draft_version integer,
  published_version integer,
  -- What every change increments, for If-Match.
  revision integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The id of an actor, as in `audit_events`.
  updated_by text,
  deleted_at timestamptz(3),
  primary key (slug, locale)
);

create index contents_deleted on contents (deleted_at, slug, locale) where deleted_at is not null;

-- A version of a text: the draft, which changes until it is published, or one that has been published.
create table content_versions (
  slug text not null,
  locale text not null,
  version integer not null,
  title text not null,
  body text not null,
  saved_at timestamptz(3) not null default now(),
  saved_by text,
  published_at timestamptz(3),
  primary key (slug, locale, version),
  foreign key (slug, locale) references contents on delete cascade
);

-- Notifies servers, which keep published texts in memory, to read them again.
create function notify_contents_changed() returns trigger language plpgsql set search_path from current as $$
begin
  perform pg_notify('contents', '');
  return null;
end $$;

-- Returns the id and the name of an actor as JSON; null without an actor.
create function actor_as_json(actor text) returns jsonb language sql stable
begin atomic
  select case when actor is not null then jsonb_build_object('id', actor, 'name', coalesce(
    (select coalesce(u.display_name, u.username, u.email) from users u where u.id = actor),
    (select c.name from clients c where actor = 'client:' || c.client_id),
    actor)) end;
end;

-- Returns the name of a text: `Terms (en)`. `content-names.ts` has the same names.
create function content_name(slug text, locale text) returns text language sql immutable
begin atomic
  select case slug
    when 'home.signedOut' then 'Signed-out home'
    when 'home.signedIn' then 'Signed-in home'
    when 'login.notice' then 'Sign-in notice'
    when 'terms' then 'Terms'
    when 'privacy' then 'Privacy'
    when 'support' then 'Support'
    when 'join.notice' then 'Join notice'
  end || ' (' || locale || ')';
end;

-- A text as the console shows it: its draft or, without one, its published version.
create view content_rows as
  select c.slug, c.locale, c.draft_version, c.published_version, v.version, v.title, v.body, c.revision, c.created_at,
    c.updated_at, c.deleted_at, actor_as_json(c.updated_by) as updated_by,
    case when c.draft_version is null then 'published' when c.published_version is null then 'draft' else 'changed' end as status
  from contents c join content_versions v
    on v.slug = c.slug and v.locale = c.locale and v.version = coalesce(c.draft_version, c.published_version);

-- A published text.
create view published_contents as
  select slug, locale, v.version, v.title, v.body from contents c join content_versions v using (slug, locale)
  where c.deleted_at is null and v.version = c.published_version;

-- Texts, found by the words of their names and titles.
create view findable_contents as
  select slug || '/' || locale as id, content_name(slug, locale) as name, nullif(title, '') as detail,
    plain_text(content_name(slug, locale)) collate "C" as sort_name, words_of(content_name(slug, locale) || ' ' || title) as search_words
  from content_rows where deleted_at is null;

create view deleted_contents as
  select 'content' as kind, slug || '/' || locale as id, content_name(slug, locale) as name, nullif(title, '') as detail, deleted_at
  from content_rows where deleted_at is not null;

create trigger contents_changed after insert or update or delete on contents
  for each statement execute function notify_contents_changed();
