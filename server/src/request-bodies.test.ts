import { endpoints } from '@passport/contract/api'
import type { Endpoint, Schema } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { setupCookie } from './http/identify.ts'
import { createParser } from './http/parse.ts'
import type { Problem } from './http/problem.ts'
import * as setupLinks from './setup/store.ts'
import { startTestService, type TestService } from './test-service.ts'
import { generateToken, hashToken } from './vault.ts'

const bodies = [...endpoints].flatMap(([name, endpoint]) =>
  endpoint.body?.type === 'application/json' ? [{ name, endpoint, kind: endpoint.body.kind }] : [],
)

describe('an unknown member', () => {
  /** Parses a body as the server does; returns its errors as `field code`. */
  async function listErrors(endpoint: Endpoint, body: unknown): Promise<string[]> {
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const headers = {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'idempotency-key': 'key',
    }
    const path = endpoint.path.replace(/\{\w+(\.\.\.)?\}/g, 'terms')
    const parsing = createParser(endpoint)({ path, query: '', headers, readBody: async () => bytes.buffer })
    const problem = await parsing.then(
      () => undefined,
      (problem: Problem) => problem,
    )
    return (problem?.errors ?? []).map(({ field, code }) => `${field} ${code}`)
  }

  test.for(bodies)('of the $kind $name is refused only in an action', async ({ endpoint, kind }) => {
    const errors = await listErrors(endpoint, { unknownMember: 1 })
    expect(errors.includes('body unrecognized-keys')).toBe(kind === 'action')
  })
})

describe('a PUT', () => {
  /** Calls of older clients, whose bodies stay as they are. */
  const exempt: Record<string, string> = {
    putGroup: 'a missing description is empty, and members and owners have calls of their own',
    putProfile: 'a missing display name or username is kept',
  }
  const puts = bodies.filter(({ name, endpoint }) => endpoint.method === 'PUT' && !(name in exempt))

  let service: TestService
  /** Ids of the records that the calls replace. */
  const ids: Record<string, string> = { stack: 'other', slug: 'terms', name: 'Stage.Host' }
  let setupToken: string
  beforeAll(async () => {
    service = await startTestService()
    ids['userId'] = (await service.as('eve')).id
    await post('/passport/admin/roles', { name: ids['name'], description: 'Hosts' })
    ids['orgId'] = await post('/passport/admin/orgs', { name: 'Contoso' })
    await post(`/passport/admin/orgs/${ids['orgId']}/members/add`, { members: [ids['userId']], role: 'owner' })
    ids['groupId'] = await post('/passport/groups', { name: 'Crew', orgId: ids['orgId'] })
    const scopes = [{ name: 'orders.read' }]
    ids['apiId'] = await post('/passport/admin/identity/apis', { ...names('orders'), scopes })
    await post('/passport/admin/identity/clients', { clientName: 'Shop', clientId: 'shop', redirectUris })
    ids['clientId'] = 'shop'
    ids['entitlementId'] = await post('/passport/admin/entitlements', { key: 'seats', name: 'Seats', kind: 'quantity' })
    const grants = `/passport/admin/entitlements/${ids['entitlementId']}/grants`
    ids['grantId'] = await post(grants, { orgId: ids['orgId'], quantity: 1 })
    ids['productId'] = await post('/passport/admin/awsproducts', product)
    const { productId, orgId } = ids
    ids['subscriptionId'] = await post('/passport/admin/awssubscriptions', {
      ...{ productId, orgId, customerAwsAccountId: '123456789012' },
      licenseArn: 'arn:aws:license-manager:us-east-1:123456789012:l-0123abcd',
    })
    setupToken = await openSetupLink()
  })

  async function post(path: string, body: object): Promise<string> {
    const ada = await service.as('ada')
    const response = await ada.fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) })
    expect(response.status, await response.clone().text()).toBeLessThan(300)
    return ((await response.json().catch(() => ({}))) as { id: string }).id
  }

  /** Returns the cookie of a browser that opened a set-up link for the organisation. */
  async function openSetupLink(): Promise<string> {
    const [token, orgId] = [generateToken(), ids['orgId'] ?? '']
    await service.sql`
      insert into entra_connections (org_id, tenant_id, cloud, display_name)
      values (${orgId}, gen_random_uuid(), 'AzurePublic', 'Contoso')`
    const createdBy = (await service.as('ada')).id
    await setupLinks.add(service.sql, { id: 'link', orgId, tokenHash: 'token', createdBy, hours: 24 })
    const opening = { sessionHash: hashToken(token), hours: 24, ip: '127.0.0.1', userAgent: 'test' }
    await setupLinks.open(service.sql, 'link', opening)
    return token
  }

  const json = { 'content-type': 'application/json' }
  const redirectUris = ['https://shop.example/callback']
  const names = (name: string) => ({ name, displayName: name, audience: `https://${name}.example` })
  const product = {
    ...{ name: 'Stage', productCode: 'stage', pricingModel: 'contract', supportEmail: 'help@stage.example' },
    dimensions: [{ key: 'seats', kind: 'entitled' }],
  }

  /** A complete body for each call, with an element in each list of objects. */
  const samples: Record<string, () => object> = {
    putAuditRetention: () => ({ days: 400 }),
    putAwsProduct: () => ({
      ...{ ...product, productId: null, integration: 'legacy', region: 'eu-west-1', snsTopicArns: [], enabled: false },
      dimensions: [{ key: 'seats', kind: 'entitled', entitlementKey: null, unit: 'seats' }],
    }),
    putAwsSubscription: () => ({ agreementId: 'agmt-1', contactEmail: null, note: 'Pilot' }),
    putBranding: () => ({
      ...{ name: 'Stage', logo: null, favicon: null, supportUrl: null },
      accent: { light: '#0b5cad', dark: '#7cc0ff' },
    }),
    putClient: () => ({
      ...{ clientName: 'Shop', redirectUris, postLogoutRedirectUris: [], backchannelLogoutUri: null },
      ...{ consent: 'always', deviceFlow: false, scopes: [], idTokenSigningAlg: 'ES256', pkce: 'required' },
      ...{ enabled: false, apis: [{ name: 'orders', scopes: ['orders.read'] }] },
    }),
    putContent: () => ({ title: '', body: 'Terms' }),
    putCorsStack: () => ({ origins: [] }),
    putEntitlement: () => ({ name: 'Seats', description: '', unit: null, enabled: false }),
    putEntra: () => ({
      allowGuests: false,
      mappings: [{ groupObjectId: crypto.randomUUID(), groupId: ids['groupId'] }],
    }),
    putGrant: () => ({ quantity: 2, startsAt: new Date().toISOString(), endsAt: null, note: '' }),
    putGroupRoles: () => ({ roles: [] }),
    putIdentityApi: () => ({
      ...{ ...names('orders'), description: '', enabled: true, claims: [], tokenLifetimeSec: 600 },
      ...{ allowedClients: null, resourceServers: [] },
      scopes: [{ name: 'orders.read', description: 'Read orders', emphasize: true }],
    }),
    putNoticeSettings: () => ({ newDevice: false }),
    putOrg: () => ({ name: 'Fabrikam', slug: 'fabrikam' }),
    putOrgBranding: () => ({ name: null, logo: null }),
    putOrgMember: () => ({ role: 'owner' }),
    putOwnOrgMember: () => ({ role: 'owner' }),
    putPermissionSchema: () => ({ text: 'definition user {}' }),
    putRole: () => ({ description: 'Others' }),
    putSetupSettings: () => ({
      allowGuests: true,
      mappings: [{ groupObjectId: crypto.randomUUID(), groupId: ids['groupId'] }],
    }),
    setUserRoles: () => ({ roles: [] }),
    updateUser: () => ({ displayname: 'Eve', username: null, email: null, emailVerified: false }),
  }

  test('of an entity has a sample here, or a reason why fields may be missing', () => {
    expect(Object.keys(samples).sort()).toEqual(puts.map(({ name }) => name).sort())
    expect(bodies.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(exempt)))
  })

  /** Of each pair, a mapping has one; `exactlyOne` requires it. */
  const alternatives = ['appRole', 'role']

  /** Lists the paths of the fields of a schema. Throws for one that the sample lacks. */
  function listFields(schema: Schema, sample: unknown, path: (string | number)[] = []): (string | number)[][] {
    const {
      type,
      shape,
      element,
      innerType,
      in: input,
    } = (schema as z.core.$ZodType)._zod.def as unknown as {
      type: string
      shape?: Record<string, Schema>
      element?: Schema
      innerType?: Schema
      in?: Schema
    }
    if (shape)
      return Object.entries(shape).flatMap(([name, field]) => {
        const value = (sample as Record<string, unknown>)[name]
        if (value === undefined && alternatives.includes(name)) return []
        if (value === undefined) throw new Error(`The sample lacks ${[...path, name].join('.')}.`)
        return [[...path, name], ...(value === null ? [] : listFields(field, value, [...path, name]))]
      })
    if (element) {
      const [first] = sample as unknown[]
      const isObject = (element as z.core.$ZodType)._zod.def.type === 'object'
      if (isObject && first === undefined) throw new Error(`The sample lacks an element of ${path.join('.')}.`)
      return isObject ? listFields(element, first, [...path, 0]) : []
    }
    if (innerType) {
      if (!['nullable', 'optional'].includes(type)) throw new Error(`${path.join('.')} has a ${type}.`)
      return listFields(innerType, sample, path)
    }
    return input ? listFields(input, sample, path) : []
  }

  function leaveOut(value: unknown, [step = '', ...rest]: (string | number)[]): unknown {
    const copy = structuredClone(value) as Record<string | number, unknown>
    if (rest.length === 0) delete copy[step]
    else copy[step] = leaveOut(copy[step], rest)
    return copy
  }

  const formatPath = (path: (string | number)[]) =>
    path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1)

  async function put({ path, method, access }: Endpoint, body: unknown): Promise<Response> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
    const init = { method, headers: json, body: JSON.stringify(body) }
    if (access !== 'setup')
      return (await service.as(path.startsWith('/passport/orgs') ? 'eve' : 'ada')).fetch(filled, init)
    const headers = { ...json, cookie: `${setupCookie.name}=${setupToken}`, 'sec-fetch-site': 'same-origin' }
    return fetch(service.url + filled, { ...init, headers })
  }

  test.for(puts)('by $name needs every field of its body', async ({ name, endpoint }) => {
    const sample = samples[name]?.()
    const fields = listFields(endpoint.body?.schema as Schema, sample)
    expect(fields.length).toBeGreaterThan(0)
    for (const path of fields) {
      const response = await put(endpoint, leaveOut(sample, path))
      const { errors } = (await response.json()) as { errors?: { field: string; code: string }[] }
      expect([response.status, errors?.map(({ field, code }) => `${field} ${code}`)]).toEqual([
        400,
        [`${formatPath(path)} missing`],
      ])
    }
    const response = await put(endpoint, sample)
    expect(response.status, await response.text()).toBe(200)
  })
})
