import * as api from '@passport/contract/entra'
import { consumerTenantId } from '@passport/contract/org-entra'
import { deleteOrg, getOrg, listOrgs, restoreOrg } from '@passport/contract/orgs'
import { allTenants, guidOf } from '@passport/world/entra/tenants'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import * as store from './store.ts'
import { answerConsent, createTenant, type EntraService, startEntraService } from './test-entra.ts'

let entra: EntraService
beforeAll(async () => {
  const tenants = Array.from({ length: 30 }, (_, index) => createTenant(index + 1))
  entra = await startEntraService({
    otherClouds: ['AzureChina'],
    homeTenants: { AzureChina: guidOf('tenant orient china') },
    tenants: [...(allTenants['AzurePublic'] ?? []), consumerTenant, ...tenants],
  })
})
beforeEach(() => {
  for (const cloud of Object.values(entra.clouds)) cloud.setFault('none')
})

const consumerTenant = {
  ...createTenant(0),
  id: consumerTenantId,
  displayName: 'Microsoft accounts',
  verifiedDomains: ['personal.example'],
}

let serial = 0
const nextTenant = () => createTenant(++serial)
const create = (body: object) => entra.ada.call(api.createEntraOrg, { body } as never)
const problem = (status: number, code: string, ...fields: string[]) => ({
  status,
  body: { code, ...(fields.length > 0 && { errors: fields.map((field) => expect.objectContaining({ field })) }) },
})
const listEvents = (orgId: string, action: string) =>
  entra.service.sql`
    select actor_id, before, after, reason from audit_events where action = ${action} and target_id = ${orgId} order by at`

describe('creating an organisation', () => {
  test('is named after the domain until the tenant consents, and returns a consent link', async () => {
    const { id: tenantId, defaultDomain: name } = nextTenant()
    const { org, consentUrl, expiresAt } = await create({ domain: `  Company-${serial}.EXAMPLE.` })
    expect(org).toMatchObject({
      name,
      slug: `company-${serial}-example`,
      kind: 'entra',
      version: 1,
      domains: [],
      entra: {
        tenantId,
        cloud: 'AzurePublic',
        displayName: name,
        consent: 'pending',
        consentedAt: null,
        consentLinkExpiresAt: expiresAt,
        consentFailure: null,
        rejectedDomains: [],
        signInEnabled: false,
        testedAt: null,
        allowGuests: false,
        mappings: [],
      },
    })
    const url = new URL(consentUrl)
    expect(url.origin + url.pathname).toBe(`${entra.entra.authority}/${tenantId}/v2.0/adminconsent`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: expect.any(String),
      redirect_uri: `${entra.service.url}/passport/connect/entra/adminconsent/callback`,
      scope: `${entra.entra.graph}/.default`,
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    const minutesLeft = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutesLeft).toBeGreaterThan(59)
    expect(minutesLeft).toBeLessThanOrEqual(60)
    const params = { orgId: org.id }
    expect(await entra.ada.call(getOrg, { params })).toEqual(org)
    expect(await entra.ada.call(api.getOrgEntra, { params })).toEqual(org.entra)
    const { items } = await entra.ada.call(listOrgs, { query: { query: org.name } })
    expect(items.find(({ id }) => id === org.id)).toMatchObject({ entra: { consent: 'pending', signInEnabled: false } })
    const [linked] = await listEvents(org.id, 'org.entra-linked')
    expect(linked).toMatchObject({
      actorId: entra.ada.id,
      after: { tenantId, cloud: 'AzurePublic', tenant: name },
    })
    expect(await listEvents(org.id, 'org.consent-requested')).toMatchObject([{ after: { tenantId, expiresAt } }])
  })

  test('takes an email address, of which only the domain is used, and another name', async () => {
    const { id } = nextTenant()
    const { org } = await create({ domain: `someone@company-${serial}.example`, name: ' Contoso ' })
    expect(org).toMatchObject({ name: 'Contoso', entra: { tenantId: id } })
  })

  test('takes a tenant id in any case', async () => {
    const { id } = nextTenant()
    const { org } = await create({ tenantId: ` ${id.toUpperCase()} `, cloud: 'AzurePublic' })
    expect(org).toMatchObject({ name: id, entra: { tenantId: id } })
  })

  test.for<[string, object, ReturnType<typeof problem>]>([
    ['neither a domain nor a tenant id', {}, problem(400, 'invalid-request', 'domain')],
    ['both', { domain: 'x.example', tenantId: guidOf('x') }, problem(400, 'invalid-request', 'domain')],
    ['an invalid domain', { domain: 'nothing' }, problem(400, 'domain-invalid', 'domain')],
    ['an email without a domain', { domain: 'someone@' }, problem(400, 'domain-invalid', 'domain')],
    ['an invalid tenant id', { tenantId: 'x' }, problem(400, 'guid-invalid', 'tenantId')],
    ['an empty name', { domain: 'x.example', name: ' ' }, problem(400, 'name-invalid', 'name')],
    ['a name that is too long', { domain: 'x.example', name: 'x'.repeat(129) }, problem(400, 'name-invalid', 'name')],
    [
      'a cloud that is no name',
      { domain: 'x.example', cloud: 'x'.repeat(65) },
      problem(400, 'invalid-request', 'cloud'),
    ],
    ['a domain that is no text', { domain: 1 }, problem(400, 'invalid-request', 'domain')],
    ['a cloud that is not configured', { domain: 'x.example', cloud: 'x' }, problem(400, 'cloud-unknown', 'cloud')],
    ['the id of the consumer tenant', { tenantId: consumerTenantId }, problem(400, 'tenant-consumer', 'tenantId')],
    ['a domain of the consumer tenant', { domain: 'personal.example' }, problem(400, 'tenant-consumer', 'domain')],
    ['an unknown domain', { domain: 'unknown.example' }, problem(404, 'tenant-not-found')],
    ['an unknown tenant id', { tenantId: guidOf('unknown') }, problem(404, 'tenant-not-found')],
  ])('rejects %s', async ([, body, expected]) => {
    await expect(create(body)).rejects.toMatchObject(expected)
  })

  test('asks for the cloud of a domain with tenants in two, and takes the name that the cloud knows', async () => {
    const clouds = ['AzurePublic', 'AzureChina']
    await expect(create({ domain: 'orient.example' })).rejects.toMatchObject({
      status: 409,
      body: { code: 'tenant-ambiguous', clouds, errors: [expect.objectContaining({ field: 'cloud' })] },
    })
    const { org } = await create({ domain: 'orient.example', cloud: 'AzureChina' })
    const displayName = 'Orient Line (Shanghai)'
    const tenant = { cloud: 'AzureChina', tenantId: guidOf('tenant orient china'), displayName }
    expect(org).toMatchObject({ name: displayName, entra: { ...tenant, defaultDomain: 'orient.example' } })
  })

  test('is polled by the page that waits for the consent, which does not keep a session alive', async () => {
    const { org } = await create({ tenantId: nextTenant().id })
    const { sql } = entra.service
    // Activity is recorded once a minute.
    const old = new Date(Date.now() - 10 * 60_000).toISOString()
    const readLastSeen = async (call: () => Promise<unknown>) => {
      await sql`update sessions set last_seen_at = ${old} where user_id = ${entra.ada.id}`
      await call()
      const [session] = await sql`select last_seen_at from sessions where user_id = ${entra.ada.id}`
      return session?.['lastSeenAt']
    }
    const params = { orgId: org.id }
    expect(await readLastSeen(() => entra.ada.call(api.getOrgEntra, { params }))).toBe(old)
    expect(await readLastSeen(() => entra.ada.call(getOrg, { params }))).not.toBe(old)
  })

  test('names the organisation that has the tenant already, even in the trash', async () => {
    const { id: tenantId } = nextTenant()
    const { org } = await create({ tenantId })
    const linked = { status: 409, body: { code: 'tenant-already-linked', orgId: org.id, orgName: org.name } }
    await expect(create({ tenantId })).rejects.toMatchObject(linked)
    await entra.ada.call(deleteOrg, { params: { orgId: org.id }, query: {} })
    await expect(create({ tenantId })).rejects.toMatchObject(linked)
    await entra.service.sql`update orgs set deleted_at = now() - interval '31 days' where id = ${org.id}`
    await entra.service.jobs.find(({ name }) => name === 'purge-trash')?.run()
    expect((await create({ tenantId })).org.id).not.toBe(org.id)
  })

  test('comes back with its tenant from the trash', async () => {
    const { org, consentUrl } = await create({ tenantId: nextTenant().id })
    const params = { orgId: org.id }
    await entra.ada.call(deleteOrg, { params, query: {} })
    await expect(entra.ada.call(api.getOrgEntra, { params })).rejects.toMatchObject(problem(404, 'org-not-found'))
    const restored = await entra.ada.call(restoreOrg, { params, query: {}, body: {} })
    expect(restored.entra).toEqual(org.entra)
    await entra.ada.fetch(await answerConsent(consentUrl))
    expect((await entra.ada.call(api.getOrgEntra, { params })).consent).toBe('granted')
  })

  test('gives a tenant to one of eight simultaneous requests', async () => {
    const { id: tenantId } = nextTenant()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ tenantId })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [{ count } = { count: 0 }] = await entra.service.sql<{ count: number }[]>`
      select count(*)::integer as count from orgs where name = ${tenantId}`
    expect(count).toBe(1)
  })

  test('fails while the cloud does not respond', async () => {
    entra.entra.setFault('down')
    await expect(create({ domain: 'company-29.example' })).rejects.toMatchObject({
      status: 503,
      body: { code: 'cloud-unavailable', clouds: ['AzurePublic'] },
    })
  })

  test('fails without a configured cloud', async () => {
    const ada = await (await startTestService()).as('ada')
    await expect(ada.call(api.createEntraOrg, { body: { domain: 'x.example' } })).rejects.toMatchObject(
      problem(501, 'entra-not-configured'),
    )
  })
})

describe('sign-in through a tenant', () => {
  const act = (endpoint: typeof api.enableEntra | typeof api.disableEntra, orgId: string) =>
    entra.ada.call(endpoint, { params: { orgId } })

  test('can be enabled after consent and a test sign-in, and disabled', async () => {
    const { id: tenantId } = nextTenant()
    const { org } = await create({ tenantId })
    const { sql } = entra.service
    await expect(act(api.enableEntra, org.id)).rejects.toMatchObject(problem(409, 'consent-missing'))
    await sql`update entra_connections set consent = 'granted' where org_id = ${org.id}`
    await expect(act(api.enableEntra, org.id)).rejects.toMatchObject(problem(409, 'test-missing'))
    await store.recordTest(sql, org.id)
    const enabled = await act(api.enableEntra, org.id)
    expect(enabled).toMatchObject({
      version: org.version + 1,
      entra: { signInEnabled: true, testedAt: expect.any(String) },
    })
    expect((await act(api.enableEntra, org.id)).version).toBe(enabled.version)
    const { items } = await entra.ada.call(listOrgs, { query: { query: org.id } })
    expect(items).toMatchObject([{ entra: { signInEnabled: true } }])
    expect(await act(api.disableEntra, org.id)).toMatchObject({
      version: org.version + 2,
      entra: { signInEnabled: false },
    })
    const sides = { before: { signInEnabled: false }, after: { signInEnabled: true } }
    expect(await listEvents(org.id, 'org.entra-enabled')).toMatchObject([{ actorId: entra.ada.id, ...sides }])
    expect(await listEvents(org.id, 'org.entra-disabled')).toMatchObject([{ before: sides.after, after: sides.before }])
  })
})
