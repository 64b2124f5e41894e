import { discover } from '@passport/contract/discovery'
import {
  discoverTenant,
  maxSimulatedSignIns,
  simulateSignIns,
  type TenantDiscovery,
} from '@passport/contract/tenant-discovery'
import { createTestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Visitor } from '../test-service.ts'
import { addOrg, type DiscoveringService, startDiscoveringService } from './test-discovery.ts'

let at: DiscoveringService
let ada: Visitor
let orgId: string

beforeAll(async () => {
  at = await startDiscoveringService()
  ada = await at.service.as('ada')
  orgId = await addOrg(at.service.sql, {
    name: 'Meridian',
    domains: ['meridian.example'],
    tenant: { id: guidOf('tenant meridian'), cloud: 'AzurePublic', isEnabled: true },
  })
  await addOrg(at.service.sql, { name: 'Plain', domains: ['marisol.example'] })
})

const look = (q: string, refresh?: string): Promise<TenantDiscovery> =>
  ada.call(discoverTenant, { query: { q, ...(refresh && { refresh }) } })
const nowhere = { org: null, domainVerified: false, consent: 'none', signInEnabled: false }
const inMeridian = { org: { id: '', name: 'Meridian' }, consent: 'granted', signInEnabled: true }

describe('the tenant of a domain', () => {
  test('is shown with what Passport knows about it', async () => {
    const passport = { ...inMeridian, org: { id: orgId, name: 'Meridian' }, domainVerified: true }
    const found = await look(' Ana@MERIDIAN.example')
    expect(found).toMatchObject({
      query: 'meridian.example',
      normalizedDomain: 'meridian.example',
      ambiguous: false,
      passport,
      recentFailures: [],
    })
    expect(found.results).toEqual([
      {
        cloud: 'AzurePublic',
        authority: at.clouds.open.authority,
        configured: true,
        found: true,
        tenantId: guidOf('tenant meridian'),
        issuer: `${at.clouds.open.authority}/${guidOf('tenant meridian')}/v2.0`,
        displayName: null,
        defaultDomainName: null,
        federationBrandName: null,
        region: 'EU',
        subScope: null,
        cloudInstance: 'microsoftonline.com',
        graphHost: expect.any(String),
        namespaceType: null,
        endpoints: { authorization: expect.any(String), token: expect.any(String), jwks: expect.any(String) },
        error: null,
        elapsedMs: expect.any(Number),
        passport,
      },
      {
        cloud: 'AzureChina',
        authority: at.clouds.china.authority,
        configured: true,
        found: false,
        error: 'invalid_tenant',
        elapsedMs: expect.any(Number),
      },
      {
        cloud: 'AzureUSGovernment',
        authority: 'https://login.microsoftonline.us',
        configured: false,
        found: null,
        error: 'not_configured',
        elapsedMs: 0,
      },
    ])
  })

  test('is distinguished from the organisation that has verified the domain', async () => {
    const { passport, results } = await look('marisol.example')
    expect(passport).toMatchObject({ org: { name: 'Plain' }, domainVerified: true, consent: 'none' })
    expect(results[0]).toMatchObject({ found: true, passport: nowhere })
  })

  test('can be in two clouds', async () => {
    const { ambiguous, results, passport } = await look('orient.example')
    expect({ ambiguous, passport }).toEqual({ ambiguous: true, passport: nowhere })
    expect(results.map(({ found }) => found)).toEqual([true, true, null])
  })

  test('is found by its id', async () => {
    const { query, normalizedDomain, passport, results } = await look(guidOf('tenant meridian').toUpperCase())
    expect({ query, normalizedDomain }).toEqual({ query: guidOf('tenant meridian'), normalizedDomain: null })
    expect(passport).toMatchObject({ org: { name: 'Meridian' }, domainVerified: false })
    expect(results[0]).toMatchObject({ found: true, passport: { org: { name: 'Meridian' }, domainVerified: false } })
  })

  test.for(['', 'ana', 'ana@', '10.0.0.1', 'https://meridian.example'])('is not looked for by %j', async (q) => {
    await expect(look(q)).rejects.toMatchObject({
      status: 400,
      body: { code: 'domain-invalid', errors: [{ field: 'q' }] },
    })
  })
})

test('the clouds are asked again after 10 minutes, or on request', async () => {
  const { requests } = at.clouds.open
  const count = () => requests.filter(({ path }) => path.startsWith('/vastra.example/')).length
  const [first, second] = await Promise.all([look('vastra.example'), look('ana@vastra.example')])
  expect([count(), second.asOf]).toEqual([1, first.asOf])
  expect(await look('vastra.example')).toEqual(first)
  expect((await look('vastra.example', 'true')).asOf > first.asOf).toBe(true)
  expect(count()).toBe(2)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  await look('vastra.example')
  expect(count()).toBe(3)
})

test('with a cloud that hangs, a lookup ends by its time limit, and 20 sign-ins through another cloud finish', async () => {
  onTestFinished(() => at.clouds.china.setFault('none'))
  at.clouds.china.setFault('hang')
  const hanging = look('unasked.example')
  const longestMs = 5_000
  const signIns = Array.from({ length: 20 }, async () => {
    const browser = createTestBrowser(at.service.url)
    await browser.open('/login?email=mira.olsen@meridian.example')
    expect(browser.cookies().map(({ name }) => name)).toContain('passport')
    const anonymous = await at.service.as(undefined)
    const startedAt = performance.now()
    expect((await anonymous.call(discover, { query: { domain: 'meridian.example' } })).realm?.kind).toBe('entra')
    expect(performance.now() - startedAt).toBeLessThan(longestMs)
  })
  await Promise.all(signIns)
  // Only the time limit of the lookup ends a request that never gets a response with `timeout`.
  const { results } = await hanging
  expect(results[1]).toMatchObject({ cloud: 'AzureChina', found: null, error: 'timeout' })
  expect(results[1]?.elapsedMs).toBeLessThan(longestMs)
})

test('the last 10 failed sign-ins of a domain are shown, without the local part', async () => {
  at.clouds.open.setFault('none')
  const fail = async () => {
    const browser = createTestBrowser(at.service.url)
    const page = await browser.open('/login?idp=harbour&login_hint=secret-name@failing.example')
    await browser.submit(page, { name: 'Nora Lind', fault: 'cancel' })
  }
  for (let index = 0; index < 11; index++) await fail()
  const { recentFailures } = await look('failing.example')
  expect(recentFailures).toHaveLength(10)
  expect(recentFailures[0]).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    idp: 'harbour',
    reason: 'cancelled',
    supportCode: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}$/),
  })
  const local = createTestBrowser(at.service.url)
  const form = await local.open('/login?idp=local&login_hint=secret-name@failing.example')
  await local.submit(form, { name: 'eve', password: 'wrong' })
  expect((await look('failing.example')).recentFailures[0]).toMatchObject({ idp: 'local', reason: 'password-wrong' })
  const [{ found } = { found: 1 }] = await at.service.sql<{ found: number }[]>`
    select count(*)::integer as found from audit_events e where e::text like '%secret-name%'`
  expect(found).toBe(0)
})

test('is limited to 30 questions a minute for each administrator', async () => {
  const max = await at.service.as('max')
  const ask = () => max.fetch('/passport/admin/tools/tenantdiscovery?q=meridian.example')
  for (let index = 0; index < 30; index++) expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(429)
})

describe('a simulation', () => {
  const simulate = (emails: string[]) => ada.call(simulateSignIns, { body: { emails } })

  test('returns the rules that decided', async () => {
    expect(await simulate(['ana@meridian.example', 'ana'])).toEqual([
      {
        email: 'ana@meridian.example',
        steps: [
          { rule: 'input', result: 'meridian.example' },
          { rule: 'organisation', result: 'Meridian has verified meridian.example' },
          { rule: 'tenant', result: guidOf('tenant meridian') },
          { rule: 'enabled', result: 'Sign-in is enabled' },
          { rule: 'cloud', result: 'AzurePublic' },
        ],
        provider: null,
        tenantId: guidOf('tenant meridian'),
        org: { id: orgId, name: 'Meridian' },
        outcome: 'entra',
        reason: null,
      },
      {
        email: 'ana',
        steps: [{ rule: 'input', result: 'Not an email address, a domain or a tenant id' }],
        provider: null,
        tenantId: null,
        org: null,
        outcome: 'refused',
        reason: 'domain-invalid',
      },
    ])
  })

  test('of 200 emails is possible, and asks no cloud', async () => {
    const { requests } = at.clouds.open
    const before = requests.length
    const emails = Array.from({ length: maxSimulatedSignIns }, (_, index) => `ana-${index}@meridian.example`)
    expect(await simulate(emails)).toHaveLength(200)
    await expect(simulate([...emails, 'one@too.many'])).rejects.toMatchObject({
      status: 400,
      body: { code: 'invalid-request' },
    })
    expect(await simulate([])).toEqual([])
    expect(requests.length).toBe(before)
  })
})
