import { getHealth, type HealthCheck, listHealthSamples } from '@passport/contract/health'
import { startEntra } from '@passport/world/entra/entra'
import { startMailServer } from '@passport/world/mail'
import { startMeta } from '@passport/world/meta'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestProxy } from '../database/test-proxy.ts'
import { startAwsService } from '../marketplace/test-aws.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { describeFailure } from './check.ts'
import { createMonitor } from './monitor.ts'

const secret = 'the secret of the registration of the tests'
const names = [
  'postgres',
  'jobs',
  'mail',
  'idp:local',
  'idp:harbour',
  'entra',
  'aws-marketplace',
  'aws-metering',
  'aws-queues',
  'meta',
  'permissions',
]
const allNames = [...names, 'media']

/** Runs all checks now; the endpoint keeps results for 10 seconds. */
const check = async (service: TestService): Promise<Record<string, HealthCheck>> => {
  const { checks } = await createMonitor(service.services).read()
  return Object.fromEntries(checks.map((result) => [result.name, result]))
}

/** Starts a service that is connected to every simulated service. */
async function startConnected() {
  const redirectUri = 'http://localhost/callback'
  const mail = await startMailServer()
  const harbour = await startOidcProvider({ clientId: 'passport', clientSecret: secret, redirectUri })
  const meta = await startMeta({ appId: '1', appSecret: secret, organizationId: '2', redirectUri })
  const cloud = { clientId: 'passport', clientSecret: secret, redirectUris: [], consentRedirectUri: redirectUri }
  const entra = await startEntra(cloud)
  const { authority, graph } = entra
  for (const { stop } of [mail, harbour, meta, entra]) onFileEnd(() => stop().catch(() => {}))
  const env = {
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'passport@stage.example',
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local' },
      {
        id: 'harbour',
        kind: 'oidc',
        name: 'Harbour',
        issuer: harbour.issuer,
        clientId: 'passport',
        clientSecret: secret,
      },
    ]),
    ENTRA_CLOUDS: JSON.stringify([{ id: 'AzurePublic', authority, graph, clientId: 'passport', clientSecret: secret }]),
    META_APP_ID: '1',
    META_APP_SECRET: secret,
    META_ORGANIZATION_ID: '2',
    META_SSO_URL: meta.ssoUrl,
    META_GRAPH_URL: meta.graphUrl,
  }
  const { service, marketplace, ada } = await startAwsService({ env })
  return { service, ada, mail, harbour, meta, entra, aws: marketplace }
}

describe('with every service configured', () => {
  let world: Awaited<ReturnType<typeof startConnected>>
  beforeAll(async () => {
    world = await startConnected()
    // The first check loads the SDK of AWS, which may take seconds on a busy machine.
    await check(world.service)
  })
  const listDown = async () =>
    Object.fromEntries(
      Object.values(await check(world.service)).flatMap(({ name, status, detail }) =>
        status === 'down' ? [[name, detail]] : [],
      ),
    )

  test('all checks pass, with a latency below their limits', async () => {
    const { service, ada } = world
    await service.instance.beat()
    const health = await ada.call(getHealth, {})
    expect(health.checks.map(({ name }) => name)).toEqual(allNames)
    expect(health.checks.filter(({ status }) => status === 'down')).toEqual([])
    // The service has no queue.
    expect(health.checks.filter(({ status }) => status === 'off').map(({ name }) => name)).toEqual(['aws-queues'])
    for (const { status, latencyMs } of health.checks) if (status !== 'off') expect(latencyMs).toBeGreaterThanOrEqual(0)
    expect(health.instances).toEqual([
      expect.objectContaining({ id: service.instance.id, version: '0.1.0', rssBytes: expect.any(Number) }),
    ])
    const again = await ada.call(getHealth, {})
    expect(again).toEqual(health)
    // A call within 10 seconds only identifies the caller, and does not keep the session alive.
    await service.sql`update sessions set last_seen_at = now() - interval '10 minutes' where user_id = ${ada.id}`
    expect(await recordStatements(service.sql, () => ada.call(getHealth, {}))).toHaveLength(1)
    const [session] = await service.sql`
      select last_seen_at < now() - interval '9 minutes' as is_idle from sessions where user_id = ${ada.id}`
    expect(session).toEqual({ isIdle: true })
  })

  test('each check fails with its own service, with a reason that names no host', async () => {
    const { service, entra, aws, meta, mail, harbour } = world
    entra.setFault('server-error')
    aws.failNext('GetEntitlements', 'denied', 9)
    meta.failNext(400, JSON.stringify({ error: { message: 'Error validating application.', code: 190 } }))
    await service.sql`alter table avatar_files rename to missing_files`
    await service.sql`
      insert into recurring_jobs (name, due_at)
      values ('sweep', now() - interval '2 hours'), ('a-former-job', now() - interval '9 days')
      on conflict (name) do update set due_at = excluded.due_at`
    expect(await listDown()).toEqual({
      jobs: 'The job sweep is 120 min late',
      entra: 'AzurePublic: The metadata answered with status 500',
      'aws-marketplace': 'AWS refused the credentials',
      meta: 'Meta refused the app or its secret',
      media: 'The check failed',
    })
    entra.setFault('hang')
    aws.clearFaults()
    aws.failNext('GetEntitlements', 'timeout', 9)
    await service.sql`alter table missing_files rename to avatar_files`
    await service.sql`update recurring_jobs set due_at = now() - interval '3 minutes' where name = 'sweep'`
    await service.sql`alter table relationship_head rename to missing_head`
    for (const { stop } of [mail, harbour, meta]) await stop()
    const startedAt = performance.now()
    expect(await listDown()).toEqual({
      mail: 'Connection refused',
      // A connection that was open is closed.
      'idp:harbour': expect.stringMatching(/^(The connection was closed|Connection refused)$/),
      entra: expect.stringMatching(/^(No answer within 3 s|AzurePublic: No answer in time)$/),
      'aws-marketplace': 'No answer within 3 s',
      meta: expect.stringMatching(/^(The connection was closed|Connection refused)$/),
      permissions: 'The check failed',
    })
    // In parallel, so that several unresponsive services take no longer than one.
    expect(performance.now() - startedAt).toBeLessThan(5_500)
    expect((await check(service))['jobs']).toMatchObject({ status: 'slow', limitMs: 120_000 })
    await service.sql`alter table missing_head rename to relationship_head`
    entra.setFault('none')
    aws.clearFaults()
  }, 30_000)
})

describe('without other services', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  const runJob = () => service.jobs.find(({ name }) => name === 'health')?.run()

  test('services that are not configured are off, and do not count', async () => {
    const health = await (await service.as('ada')).call(getHealth, {})
    // On a busy machine, the first statement may be slow.
    const counted = health.checks.filter(({ status }) => status === 'slow' || status === 'down')
    expect(health.status).toBe(counted.length === 0 ? 'ok' : 'degraded')
    expect(counted.filter(({ status }) => status === 'down')).toEqual([])
    expect(health.warnings).toEqual([])
    const off = health.checks.filter(({ status }) => status === 'off')
    expect(off.map(({ name }) => name)).toEqual([
      'mail',
      'entra',
      'aws-marketplace',
      'aws-metering',
      'aws-queues',
      'meta',
    ])
    expect(off[0]).toMatchObject({ latencyMs: null, detail: 'Not configured' })
  })

  test('a check is slow by the 95th percentile of 5 minutes, keeps the time of its state, and degrades the whole', async () => {
    const { sql } = service
    await runJob()
    const { since } = (await check(service))['postgres'] as HealthCheck
    await sql`update health_states set since = since - interval '3 hours' where name = 'postgres'`
    await sql`
      insert into health_samples (name, minute, status, latency_ms)
      select 'postgres', date_trunc('minute', now()) - make_interval(mins => n), 'ok', 500 from generate_series(6, 9) n`
    const shifted = new Date(Date.parse(since) - 3 * 3_600_000).toISOString()
    expect((await check(service))['postgres']).toMatchObject({ status: 'ok', since: shifted })
    await sql`
      insert into health_samples (name, minute, status, latency_ms)
      select 'postgres', date_trunc('minute', now()) - make_interval(mins => n), 'ok', 500 from generate_series(1, 4) n`
    const health = await createMonitor(service.services).read()
    const [postgres] = health.checks
    expect([health.status, postgres?.status]).toEqual(['degraded', 'slow'])
    expect(Date.parse(postgres?.since ?? '')).toBeGreaterThan(Date.now() - 60_000)
    await runJob()
    expect(await sql`select status from health_states where name = 'postgres'`).toEqual([{ status: 'slow' }])
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toContain('passport_check_up{check="postgres"} 1')
    expect(metrics).not.toContain('check="mail"')
  })

  test('the samples of a check are one a minute for 24 hours, or the worst of each half hour', async () => {
    const { sql } = service
    await sql`truncate health_samples`
    await sql`
      insert into health_samples (name, minute, status, latency_ms)
      select 'media', date_trunc('hour', now()) - make_interval(mins => n), 
        case when n = 70 then 'down' else 'ok' end, case when n = 70 then null else n end
      from generate_series(61, 1560) n`
    await runJob()
    const ada = await service.as('ada')
    const list = async (query: { from?: string; every?: '30' }) =>
      (await ada.call(listHealthSamples, { params: { name: 'media' }, query: { every: '1', ...query } })).samples
    const all = await list({})
    expect(all.length).toBeGreaterThan(1_300)
    expect(all.length).toBeLessThanOrEqual(1_441)
    expect(all.at(-1)).toMatchObject({ status: 'ok' })
    const [{ count } = {}] = await sql`
      select count(*)::int from health_samples where minute < now() - interval '24 hours'`
    expect(count).toBe(0)
    const halves = await list({ every: '30' })
    expect(halves.length).toBeLessThanOrEqual(49)
    expect(halves.filter(({ status }) => status === 'down')).toEqual([
      { at: expect.stringMatching(/:30:00.000Z$/), status: 'down', latencyMs: 89 },
    ])
    const from = all.at(-1)?.at ?? ''
    expect(await list({ from })).toEqual(all.slice(-1))
    const unknown = await ada.fetch('/passport/admin/health/nothing/samples')
    expect([unknown.status, await unknown.json()]).toEqual([404, expect.objectContaining({ code: 'check-not-found' })])
    expect(
      await recordStatements(sql, () =>
        ada.call(listHealthSamples, { params: { name: 'media' }, query: { every: '30' } }),
      ),
    ).toHaveLength(2)
  })

  test('an instance that stopped reporting is left out after a minute, and deleted later', async () => {
    const { sql } = service
    await service.instance.beat()
    await sql`update instances set beat_at = now() - interval '61 seconds'`
    expect((await createMonitor(service.services).read()).instances).toEqual([])
    await sql`update instances set beat_at = now() - interval '11 minutes'`
    await runJob()
    expect(await sql`select id from instances`).toEqual([])
  })
})

test('without the database the response is 503 for signed-in administrators too, and readiness fails', async () => {
  const proxy = await startTestProxy()
  const service = await startTestService({}, { proxy })
  const ada = await service.as('ada')
  expect((await ada.fetch('/passport/admin/health')).status).toBe(200)
  await proxy.cut()
  const response = await ada.fetch('/passport/admin/health')
  expect([response.status, await response.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'database-unavailable' }),
  ])
  expect((await ada.fetch('/readyz')).status).toBe(503)
  expect((await ada.fetch('/healthz')).status).toBe(200)
  await proxy.restore()
  await expect.poll(async () => (await ada.fetch('/passport/admin/health')).status, { timeout: 10_000 }).toBe(200)
})

test.for([
  [Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:25'), { code: 'ESOCKET' }), 'Connection refused'],
  [new TypeError('fetch failed', { cause: new Error('no connection within 5000 ms') }), 'No answer in time'],
  [Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), 'The host name is not found'],
  [Object.assign(new Error('Invalid login: 535 ada:secret'), { code: 'EAUTH' }), 'The credentials were refused'],
  [
    new TypeError('x', { cause: Object.assign(new Error('y'), { code: 'CERT_HAS_EXPIRED' }) }),
    'The certificate is not trusted',
  ],
  [new Error('password=secret host=db.internal'), 'The check failed'],
  ['no error', 'The check failed'],
] as const)('%s is described without its message', ([error, description]) => {
  expect(describeFailure(error)).toBe(description)
})
