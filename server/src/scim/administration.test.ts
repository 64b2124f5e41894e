import { createEntraOrg } from '@passport/contract/entra'
import { createOrg, deleteOrg } from '@passport/contract/orgs'
import * as api from '@passport/contract/scim'
import { beforeAll, expect, test } from 'vitest'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { sweepRequests } from './store.ts'

let entra: EntraService
beforeAll(async () => {
  entra = await startEntraService({
    tenants: [createTenant(1), createTenant(2), createTenant(3), createTenant(4), createTenant(5), createTenant(6)],
  })
})

const createOrgOf = async (number: number) =>
  (await entra.ada.call(createEntraOrg, { body: { domain: `company-${number}.example` } })).org.id
const newToken = { name: 'Entra', expiresInDays: 365 }

test('a token is returned once, named in the audit log, and counts among two live ones', async () => {
  const { ada, service } = entra
  const orgId = await createOrgOf(1)
  const params = { orgId }
  const { token, value } = await ada.call(api.createScimToken, { params, body: newToken })
  expect(value).toMatch(/^psc_[0-9A-Za-z]{38}$/)
  expect(token).toMatchObject({
    name: 'Entra',
    start: value.slice(0, 8),
    state: 'live',
    createdBy: { id: ada.id },
    fromSetupLink: false,
    lastUse: null,
  })
  const second = await ada.call(api.createScimToken, { params, body: newToken })
  await expect(ada.call(api.createScimToken, { params, body: newToken })).rejects.toMatchObject({
    status: 409,
    body: { code: 'too-many-scim-tokens' },
  })
  await ada.call(api.revokeScimToken, { params: { orgId, tokenId: token.id } })
  await expect(ada.call(api.revokeScimToken, { params: { orgId, tokenId: token.id } })).rejects.toMatchObject({
    status: 404,
    body: { code: 'scim-token-not-found' },
  })
  const provisioning = await ada.call(api.getProvisioning, { params })
  expect(provisioning.tokens.map(({ id, state }) => [id, state])).toEqual([
    [second.token.id, 'live'],
    [token.id, 'revoked'],
  ])
  expect(provisioning.url).toBe(`${service.url}/passport/scim/v2/${orgId}`)
  expect(JSON.stringify(provisioning)).not.toContain(value)
  const events = await service.sql`
    select action, before, after from audit_events where action like 'org.scim-token%' order by at, id`
  expect(events.map(({ action }) => action)).toEqual([
    'org.scim-token-created',
    'org.scim-token-created',
    'org.scim-token-revoked',
  ])
  expect(events[0]?.['after']).toMatchObject({ token: 'Entra', start: token.start })
  expect(JSON.stringify(events)).not.toContain(value)
})

test('only organisations with a tenant have provisioning, and none in the trash', async () => {
  const { ada } = entra
  const { id } = await ada.call(createOrg, { body: { name: 'Without a tenant' } })
  for (const orgId of [id, 'x'])
    await expect(ada.call(api.createScimToken, { params: { orgId }, body: newToken })).rejects.toMatchObject({
      status: 404,
    })
  await expect(ada.call(api.getProvisioning, { params: { orgId: id } })).rejects.toMatchObject({
    status: 404,
    body: { code: 'entra-not-linked' },
  })
  const deleted = await createOrgOf(2)
  await ada.call(deleteOrg, { params: { orgId: deleted }, query: {} })
  for (const endpoint of [api.getProvisioning, api.listScimRequests])
    await expect(ada.call(endpoint, { params: { orgId: deleted }, query: {} } as never)).rejects.toMatchObject({
      status: 404,
      body: { code: 'org-not-found' },
    })
})

test('the expiry is at most two years', async () => {
  const orgId = await createOrgOf(3)
  await expect(
    entra.ada.call(api.createScimToken, { params: { orgId }, body: { ...newToken, expiresInDays: 731 } }),
  ).rejects.toMatchObject({ status: 400 })
  expect((await entra.ada.call(api.listScimRequests, { params: { orgId }, query: {} })).items).toEqual([])
})

test('tokens of other organisations, ended tokens and deleted organisations are rejected alike, and requests are logged', async () => {
  const { ada, service } = entra
  const [orgId, otherId] = [await createOrgOf(4), await createOrgOf(5)]
  const params = { orgId }
  const { token, value } = await ada.call(api.createScimToken, { params, body: newToken })
  const request = async (org: string, bearer: string, path = 'Nothing?x=ada@contoso.example') => {
    const response = await fetch(`${service.url}/passport/scim/v2/${org}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ userName: 'ada@contoso.example', password: 'known to nobody' }),
    })
    return { status: response.status, body: (await response.json()) as { detail: string } }
  }
  const unknown = await request(otherId, value)
  expect(unknown).toEqual(await request(orgId, `${value.slice(0, -1)}${value.endsWith('x') ? 'y' : 'x'}`))
  expect(unknown).toEqual(await request('nothing', value))
  expect(unknown).toMatchObject({
    status: 401,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '401' },
  })
  expect((await request(orgId, value)).status).toBe(404)
  await ada.call(api.revokeScimToken, { params: { orgId, tokenId: token.id } })
  expect((await request(orgId, value)).body.detail).toContain('It was revoked')
  const { items } = await ada.call(api.listScimRequests, { params, query: {} })
  expect(items.map(({ status, path, error }) => [status, path, error?.help])).toEqual([
    [
      401,
      'Nothing?x=***@contoso.example',
      'It was revoked. Create another one, and enter it at the identity provider.',
    ],
    [404, 'Nothing?x=***@contoso.example', expect.stringContaining('The resources are Users')],
  ])
  const details = await ada.call(api.getScimRequest, { params: { orgId, requestId: items[1]?.id ?? '' } })
  expect(details.requestBody).toBe('{"userName":"***@contoso.example","password":"***"}')
  expect((await ada.call(api.listScimRequests, { params, query: { outcome: 'succeeded' } })).items).toEqual([])
  await ada.call(deleteOrg, { params, query: {} })
  expect(await request(orgId, value)).toEqual(unknown)
})

test('an expired token is rejected with the reason, and the log keeps the newest requests', async () => {
  const { ada, service } = entra
  const orgId = await createOrgOf(6)
  const params = { orgId }
  const { token, value } = await ada.call(api.createScimToken, { params, body: newToken })
  await service.sql`update scim_tokens set expires_at = now() - interval '1 second' where id = ${token.id}`
  const response = await fetch(`${service.url}/passport/scim/v2/${orgId}/Users`, {
    headers: { authorization: `Bearer ${value}` },
  })
  expect(response.status).toBe(401)
  expect(((await response.json()) as { detail: string }).detail).toContain('It has expired')
  expect((await ada.call(api.getProvisioning, { params })).tokens[0]?.state).toBe('expired')

  await service.sql`
    insert into scim_requests (id, org_id, token_id, at, method, path, status, duration_ms, ip, user_agent, trace_id)
    select gen_random_uuid(), ${orgId}, ${token.id}, now() - make_interval(secs => n), 'GET', 'Users?' || n, 200, 1,
      '192.0.2.1', 'test', ''
    from generate_series(1, ${api.maxScimRequests + 5}) n`
  await sweepRequests(service.sql, 1000)
  const kept = await service.sql<{ path: string }[]>`
    select path from scim_requests where org_id = ${orgId} order by at desc, id desc`
  expect(kept.map(({ path }) => path)).toEqual([
    'Users',
    ...Array.from({ length: api.maxScimRequests - 1 }, (_, index) => `Users?${index + 1}`),
  ])
})
