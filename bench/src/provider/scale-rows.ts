import type postgres from 'postgres'

/**
 * Adds users of the built-in directory, each with a login, a session, a known browser, a sign-in trace, and what the
 * issuer keeps of a sign-in: its session, a grant, a refresh token and an access token.
 */
export async function fillTables(sql: postgres.Sql, count: number): Promise<void> {
  await sql`set synchronous_commit = off`
  const numbers = sql`generate_series(1, ${count}::integer) i`
  await sql`
    insert into directory_people (id, name, display_name, email, password_hash)
    select 'p' || i, 'person' || i, 'Person ' || i, 'person' || i || '@stage.example', 'x' from ${numbers}`
  await sql`
    insert into users (id, username, display_name, email)
    select 'u' || i, 'person' || i, 'Person ' || i, 'person' || i || '@stage.example' from ${numbers}`
  await sql`
    insert into logins (id, user_id, issuer, subject, provider_id, label)
    select 'l' || i, 'u' || i, 'urn:passport:directory', 'p' || i, 'local', 'Person' from ${numbers}`
  await sql`
    insert into known_browsers (id, user_id, token_hash)
    select 'b' || i, 'u' || i, encode(sha256(i::text::bytea), 'hex') from ${numbers}`
  await sql`
    insert into sessions (token_hash, id, user_id, login_id, idp, auth_time, ip, user_agent, provider_session, expires_at)
    select encode(sha256(('s' || i)::bytea), 'hex'), 's' || i, 'u' || i, 'l' || i, 'local', now(), '192.0.2.1', 'Firefox',
      'uid' || i, now() + make_interval(days => 7, secs => -i * 0.1)
    from ${numbers}`
  // The ids are random, as hashes are.
  const artifacts = (kinds: postgres.PendingQuery<postgres.Row[]>) => sql`
    select 'passport', kind, rtrim(encode(sha256((kind || i)::bytea), 'base64'), '='),
      jsonb_build_object('kind', kind, 'iat', 1, 'exp', 2, 'clientId', 'bench', 'grantId', 'g' || i),
      'u' || i, case when kind in ('AccessToken', 'RefreshToken') then 'g' || i end,
      case when kind = 'Session' then 'uid' || i end, now() + make_interval(days => days, secs => -i * 0.1)
    from ${numbers}, (values ${kinds}) as kinds (kind, days)`
  await sql`
    insert into provider_artifacts (issuer, kind, id_hash, payload, account_id, grant_id, uid, expires_at)
    ${artifacts(sql`('Session', 7), ('Grant', 14)`)}`
  await sql`
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, uid, expires_at)
    ${artifacts(sql`('RefreshToken', 14), ('AccessToken', 1)`)}`
  await sql`
    insert into sign_in_traces (id, at, trace_id, kind, result, keys, client_id, user_id, ip, user_agent, steps)
    select 't' || i, now() - make_interval(secs => i), md5(i::text), 'token', 'succeeded', array['code:' || i], 'bench',
      'u' || i, '192.0.2.1', 'Firefox', '[]'
    from ${numbers}`
  await sql`
    insert into audit_events (id, at, actor_id, action, target_kind, target_id, ip, trace_id)
    select 'event' || i, now() - make_interval(secs => i), 'u' || i, 'signin.succeeded', 'user', 'u' || i, '192.0.2.1',
      md5(i::text)
    from ${numbers}`
  await sql.unsafe('vacuum analyze')
}
