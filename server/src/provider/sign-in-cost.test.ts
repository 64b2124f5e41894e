import { createTestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { sweepSessions } from '../accounts/end-sessions.ts'
import { demoPassword } from '../test-service.ts'
import { redirectUri, startShop } from './test-shop.ts'

/** The tables in which a timer saves what came before: the traces of earlier sign-ins. A stranger's request has none. */
const timedTables = ['sign_in_traces']

// Signs in and sweeps with thousands of rows. A statement must not read a whole table.

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** The statements and plans since the last reset, including the plans inside functions. */
const recorded = { statements: [] as string[], plans: [] as PlanNode[] }

const { service, shop, buildAuthorizationRequest, followAuthorization } = await startShop({
  settings: {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  },
  onStatement: (text) => {
    // Traces are saved by a timer, many at once.
    if (!text.includes('sign_in_traces')) recorded.statements.push(text)
  },
  onNotice: (message) => {
    const [, plan] = /plan:\n(\{[\s\S]*)/.exec(message) ?? []
    if (plan) recorded.plans.push(JSON.parse(plan).Plan as PlanNode)
  },
})
const { sql } = service
const rowCount = 8000
const largeTables = [
  'directory_people',
  'sessions',
  'provider_artifacts',
  'provider_tokens',
  'logins',
  'users',
  'spent_attempts',
]

beforeAll(async () => {
  const eve = await service.as('eve')
  for (const table of largeTables) await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  await sql`
    insert into directory_people (id, name, display_name, email, password_hash)
    select 'p' || i, 'person' || i, 'Person ' || i, 'person' || i || '@stage.example', 'x' from generate_series(1, ${rowCount}) i`
  await sql`
    insert into users (id, display_name) select 'u' || i, 'Person ' || i from generate_series(1, ${rowCount}) i`
  await sql`
    insert into logins (id, user_id, issuer, subject, provider_id, label)
    select 'l' || i, 'u' || i, 'https://idp.example', 'person' || i, 'idp', 'Person' from generate_series(1, ${rowCount}) i`
  await sql`
    insert into sessions (token_hash, id, user_id, login_id, idp, auth_time, ip, user_agent, provider_session, expires_at)
    select 't' || i, 's' || i, user_id, login_id, idp, auth_time, ip, user_agent, 'uid' || i, now() + interval '7 days'
    from generate_series(1, ${rowCount}) i, (select * from sessions where user_id = ${eve.id} limit 1) as one`
  await sql`
    insert into provider_artifacts (issuer, kind, id_hash, payload, account_id, uid, expires_at)
    select 'passport', 'Session', 'a:' || i,
      jsonb_build_object('authorizations', jsonb_build_object('shop', jsonb_build_object('grantId', 'g' || i, 'sid', 's' || i))),
      'u' || i, 'uid' || i, now() + interval '7 days'
    from generate_series(1, ${rowCount}) i`
  await sql`
    insert into provider_tokens (issuer, kind, id_hash, payload, account_id, grant_id, expires_at)
    select 'passport', 'AccessToken', 'a:t' || i, '{}', 'u' || i, 'g' || i, now() + interval '1 hour'
    from generate_series(1, ${rowCount}) i`
  for (const table of largeTables) await sql`analyze ${sql(table)}`
})

/** Records the statements and plans of some work. */
async function record<T>(work: () => Promise<T>) {
  Object.assign(recorded, { statements: [], plans: [] })
  const result = await work()
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  const scanned = recorded.plans
    .flatMap(nodes)
    .filter((node) => node['Node Type'] === 'Seq Scan' && largeTables.includes(node['Relation Name'] ?? ''))
    .map((node) => node['Relation Name'])
  const blocks = recorded.plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0)
  return { result, scanned, blocks, statements: recorded.statements }
}

/** Signs ada in to the client with her password, in a new browser. */
async function signIn() {
  const { url } = await buildAuthorizationRequest()
  const browser = createTestBrowser(service.url)
  const form = await browser.open(url)
  await expect(browser.submit(form, { name: 'ada', password: demoPassword })).rejects.toThrow()
  return browser.visitedUrls.findLast((visited) => visited.startsWith(redirectUri)) ?? ''
}

describe('a whole sign-in', () => {
  test('reads no whole table', async () => {
    await signIn()
    const all = [await record(signIn), await record(signIn), await record(signIn)]
    for (const { result, scanned } of all) expect([result, scanned]).toEqual([expect.stringContaining('code='), []])
    // 7 statements on 2026-11-28, with the brand of the mail about a new browser, without the tokens. The least of several: work for earlier requests goes on at the same time.
    expect(Math.min(...all.map(({ blocks }) => blocks))).toBeLessThan(700)
    expect(Math.min(...all.map(({ statements }) => statements.length))).toBeLessThanOrEqual(8)
  })
})

describe('the tokens of a sign-in', () => {
  test('are issued and refreshed without reading a whole table', async () => {
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name: 'ada', password: demoPassword })
    const authorize = async () => {
      const { url, checks } = await buildAuthorizationRequest({ scope: 'openid api_vertex_core' })
      const callback = await followAuthorization(browser, url)
      return () => client.authorizationCodeGrant(shop, callback, checks)
    }
    // The first request of a process looks for the end of an outage, and records that the client is used.
    await (await authorize())()
    const exchange = await record(await authorize())
    const refresh = await record(() => client.refreshTokenGrant(shop, exchange.result.refresh_token ?? ''))
    for (const { scanned, blocks, statements } of [exchange, refresh]) {
      const ofTokens = statements.filter((text) => /grant_sources|provider_/.test(text))
      expect([scanned, ofTokens.length]).toEqual([[], 2])
      expect(blocks).toBeLessThan(400)
    }
  })
})

describe('the removal of expired sessions', () => {
  test('reads only those, in a few statements for any number', async () => {
    await sql`update sessions set expires_at = now() - interval '1 minute' where id in ('s1', 's2', 's3')`
    await sql`update sessions set last_seen_at = now() - interval '13 hours' where id in ('s3', 's4')`
    const few = await record(() => sweepSessions(sql, 1000))
    expect([few.result, few.scanned]).toEqual([4, []])
    expect(few.blocks).toBeLessThan(400)

    await sql`update sessions set last_seen_at = now() - interval '13 hours' where id like 's77%'`
    const many = await record(() => sweepSessions(sql, 1000))
    expect([many.result, many.scanned]).toEqual([111, []])
    // Those of the sessions, of the issuer's sessions and of their tokens. The delivery of logouts runs at the same time.
    const deletes = many.statements.filter((text) =>
      /delete from (?:sessions|provider_artifacts|provider_tokens)/.test(text),
    )
    expect(deletes).toHaveLength(3)
    const [left] = await sql`
      select count(*)::integer as count from provider_artifacts where uid like 'uid77%' or grant_id like 'g77%'`
    expect(left?.['count']).toBe(0)
  })

  test('stops at its limit', async () => {
    await sql`update sessions set last_seen_at = now() - interval '13 hours' where id like 's6%'`
    await sql`update sessions set expires_at = now() - interval '1 hour' where id like 's5%'`
    expect(await sweepSessions(sql, 100)).toBe(100)
  })
})

describe('a request of a stranger with prompt=none', () => {
  const listRows = async () => {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`
    const counts: Record<string, number> = {}
    for (const { name } of tables.filter(({ name }) => !timedTables.includes(name))) {
      const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from ${sql(name)}`
      counts[name] = row?.count ?? 0
    }
    return counts
  }

  test('leaves no rows, not even with the cookie of a session that has ended', async () => {
    const { url } = await buildAuthorizationRequest({ prompt: 'none' })
    const before = await listRows()
    const stranger = createTestBrowser(service.url)
    for (let round = 0; round < 3; round++)
      expect((await followAuthorization(stranger, url)).searchParams.get('error')).toBe('login_required')
    expect(await listRows()).toEqual(before)
    expect(stranger.cookies()).toEqual([])

    const former = createTestBrowser(service.url)
    await former.submit(await former.open('/login'), { name: 'eve', password: demoPassword })
    expect((await followAuthorization(former, url)).searchParams.get('code')).not.toBeNull()
    await sql`delete from sessions where not id like 's%'`
    await sql`delete from provider_artifacts where not id_hash like 'a:%'`
    const afterEnd = await listRows()
    for (let round = 0; round < 3; round++)
      expect((await followAuthorization(former, url)).searchParams.get('error')).toBe('login_required')
    expect(await listRows()).toEqual(afterEnd)
  })
})
