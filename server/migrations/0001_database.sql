-- Functions and tables of the database itself, which belong to no feature.

-- A recurring job. The process that takes its lease runs it.
create table recurring_jobs (
  name text primary key,
  -- Unrounded, so that a new row is due at once.
  due_at timestamptz not null default now(),
  -- In the past if no process runs the job.
  leased_until timestamptz(3) not null default '-infinity',
  -- Null until the first success. A metric shows the age of it.
  succeeded_at timestamptz(3)
);

-- One row: a known text, sealed. A start with another secret detects it before it changes anything.
create table secret_probe (
  id integer primary key check (id = 1),
  sealed text not null,
  -- When the secret that sealed it became the current one.
  sealed_at timestamptz(3) not null default now()
);

-- Returns a text as it is searched and sorted: in lower case, without accents, apostrophes and invisible characters. Letters
-- that Unicode does not decompose become the Latin ones of passports (ICAO Doc 9303, part 3, section 6), or those that look
-- alike (docs/decisions/0106-searches-fold-letters.md).
create function plain_text(text) returns text language sql immutable parallel safe strict
begin atomic
  select replace(replace(replace(replace(replace(
    translate(
      lower(regexp_replace(normalize(translate($1, '´', ''''), NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff''’‘ʼʻʹ′`]',
        '', 'g')),
      'øłđðħıŋŧəςɓɗɖɛɔɲƙƴ', 'olddhinteσbddeonky'),
    'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
end;

-- Returns an instant as the API represents it: ISO 8601 in UTC with milliseconds.
create function format_instant(timestamptz) returns text language sql stable parallel safe strict
begin atomic
  select to_char($1 at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end;

-- Returns the total of a list: `counted`, or above `up_to` the planner's estimate for a statement, which is not run. The
-- statement refers to its parameters as `$1[1]`, `$1[2]`, ….
create function count_or_estimate(counted bigint, up_to integer, statement text, parameters text[]) returns integer
  language plpgsql set search_path from current as $$
declare
  plan json;
begin
  if counted <= up_to then
    return counted;
  end if;
  execute 'explain (format json) ' || statement into plan using parameters;
  return greatest(counted, least((plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric, 2000000000));
end $$;

-- Returns the time of a change. The transaction gets its id, which makes it visible to `settled_before`, before the clock
-- is read (docs/decisions/0020-changes-of-groups.md).
create function change_time() returns timestamptz language plpgsql volatile set search_path from current as $$
begin
  perform pg_current_xact_id();
  return date_trunc('milliseconds', clock_timestamp());
end $$;

-- Returns an instant before which every change is committed or rolled back, as seen by statements that begin after this
-- one. Call it in a statement of its own. A writer whose start this database role may not see counts as ten seconds old.
create function settled_before() returns timestamptz language sql volatile
begin atomic
  select date_trunc('milliseconds', least(now(), min(
    case when state is null or state = 'disabled' then now() - interval '10 seconds' else xact_start end)))
  from pg_stat_activity
  where datname = current_database() and backend_xid is not null and backend_type is distinct from 'autovacuum worker';
end;

-- Returns a text with a space before each Chinese character and Korean syllable: such names have none between their parts.
create function syllables_of(text) returns text language sql immutable parallel safe strict
begin atomic
  select regexp_replace(normalize($1, NFC), '[\u3400-\u9fff\uac00-\ud7a3]', ' \&', 'g');
end;

-- Returns a text with the letters that some write as two, such as ö as oe, and with apostrophes as spaces.
create function spelled_out(text) returns text language sql immutable parallel safe strict
begin atomic
  select replace(replace(replace(replace(replace(
    translate(lower(normalize($1, NFC)), '''’‘ʼʻʹ′`´', '         '),
    'ä', 'ae'), 'ö', 'oe'), 'ø', 'oe'), 'ü', 'ue'), 'å', 'aa');
end;

-- Returns the words of a text, each to be found by its prefix: `to_tsquery('simple', 'ana:*')`. A name such as Jörg O'Neil has
-- the words jorg, joerg, oneil, o and neil. Only strict expressions: otherwise it would not be inlined.
create function words_of(text) returns tsvector language sql immutable parallel safe strict
begin atomic
  select to_tsvector('simple'::regconfig, regexp_replace(
    plain_text(syllables_of($1 || ' ' || spelled_out($1))), '[^[:alnum:]]+', ' ', 'g'));
end;

-- Returns the words of an email address, and its domain after an `@`, with a full stop for each separator: of
-- ana@lab-nord.example ana, lab, nord, example and @lab.nord.example.
create function words_of_address(text) returns tsvector language sql immutable parallel safe strict
begin atomic
  select array_to_tsvector(
    array_remove(regexp_split_to_array(plain_text($1), '[^[:alnum:]]+'), '')
    || case when $1 ~ '@.*[[:alnum:]]'
      then array['@' || trim('.' from regexp_replace(regexp_replace(plain_text($1), '^.*@', ''), '[^[:alnum:]]+', '.', 'g'))]
      else '{}'::text[] end);
end;
