import { createTestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { demoPassword } from '../test-service.ts'
import { startShop } from './test-shop.ts'

/** What of a sign-in stays, and why. */
const kept: Record<string, string> = {
  // Removed by `purge-audit` alone, after the retention that an administrator chooses.
  audit_events: 'the audit log',
  // One row for each user and provider, and for each server.
  logins: 'one for each account',
  instances: 'one for each server',
  recurring_jobs: 'one for each job',
  // One row for each client or secret.
  client_uses: 'one for each client',
}

const { service, signInToShop, shop } = await startShop({}, {}, [])
const { sql } = service

async function countRows() {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  const counts = new Map<string, number>()
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from ${sql(name)}`
    counts.set(name, row?.count ?? 0)
  }
  return counts
}

test('what sign-ins leave is removed by the recurring jobs, except what is one for each account or server', async () => {
  const before = await countRows()
  for (let round = 0; round < 2; round++) {
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name: 'eve', password: 'wrong' })
    await browser.submit(await browser.open('/login'), { name: 'eve', password: demoPassword })
    const tokens = await signInToShop(browser, { scope: 'openid offline_access' })
    await client.refreshTokenGrant(shop, tokens.refresh_token ?? '')
    await client.clientCredentialsGrant(shop, { scope: 'permissions.read' })
  }
  // All traces: one saved after the jobs would be found as a row that they left.
  await service.services.traces.flush()
  const listGrown = async () => {
    const after = await countRows()
    return [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name)
  }
  const grown = (await listGrown()).filter((name) => !(name in kept))
  expect(grown).toEqual(
    expect.arrayContaining(['sessions', 'provider_artifacts', 'known_browsers', 'sign_in_traces', 'spent_attempts']),
  )

  const columns = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and table_name = any(${grown}) and data_type = 'timestamp with time zone'`
  for (const { table, column } of columns)
    await sql`update ${sql(table)} set ${sql(column)} = ${sql(column)} - interval '800 days'`
  await sql`update rate_limits set expire = 0`
  for (const { run } of service.jobs) await run()
  const after = await countRows()
  expect(grown.filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0))).toEqual([])
})
