import * as clients from '@passport/contract/clients'
import * as api from '@passport/contract/identity-apis'
import { createPersonalToken, listPersonalTokens } from '@passport/contract/personal-tokens'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import * as consents from '../accounts/consent-store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purgeTrash } from '../trash/purge.ts'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  const configured = [
    { clientId: 'shop', clientName: 'Shop', redirectUris: ['https://shop.example/'] },
    {
      clientId: 'server',
      clientName: 'Server',
      clientSecret: 'a secret of more than thirty-two characters',
      redirectUris: ['https://server.example/'],
    },
  ]
  service = await startTestService({ CLIENTS: JSON.stringify(configured) })
  ada = await service.as('ada')
})

let serial = 0
/** Returns the fields of an API with names that are free. */
function fieldsOf(fields: Partial<api.ApiFields> = {}) {
  const name = `api${++serial}`
  return { name, displayName: `API ${serial}`, audience: `https://${name}.example`, ...fields }
}
const create = (fields: Record<string, unknown> = {}) =>
  ada.call(api.createIdentityApi, { body: { ...fieldsOf(), ...fields } as never })
const put = ({ id, ...current }: api.IdentityApi, fields: Record<string, unknown>, options = {}) =>
  ada.call(
    api.putIdentityApi,
    { params: { apiId: id }, body: { ...api.toApiFields(current), ...fields } as never },
    options,
  )
const scope = (name: string, description = '') => ({ name, description, emphasize: false })
const find = (apiId: string) => ada.call(api.getIdentityApi, { params: { apiId } })
const remove = (apiId: string) => ada.call(api.deleteIdentityApi, { params: { apiId } })
const restore = (apiId: string) => ada.call(api.restoreIdentityApi, { params: { apiId } })
const findBuiltIn = async () => {
  const { items } = await ada.call(api.listIdentityApis, { query: { query: api.builtInApiName } as never })
  return items[0] as api.IdentityApi
}
const failure = (status: number, code: string, field?: string) => ({
  status,
  body: { code, ...(field && { errors: [expect.objectContaining({ field })] }) },
})

describe('an API', () => {
  test('keeps every field that is written, and each change raises the version', async () => {
    const fields = {
      ...fieldsOf(),
      description: 'Read your invoices',
      enabled: false,
      scopes: [{ name: 'round.read', description: 'Read', emphasize: true }, scope('round.write')],
      claims: ['email', 'name'],
      tokenLifetimeSec: 900,
      allowedClients: ['server', 'shop'],
      resourceServers: ['server'],
    }
    const created = await create(fields)
    expect(created).toMatchObject({ ...fields, builtIn: false, version: 1 })
    expect(await find(created.id)).toEqual(created)
    const other = {
      ...fieldsOf(),
      description: '',
      enabled: true,
      scopes: [scope('round.write', 'Write'), scope('round.delete')],
      claims: [],
      tokenLifetimeSec: 60,
      allowedClients: [],
      resourceServers: [],
    }
    expect(await put(created, other)).toMatchObject({ ...other, version: 2 })
    expect(await put(await find(created.id), other)).toMatchObject({ version: 2 })
    expect((await put(await find(created.id), { allowedClients: null })).allowedClients).toBeNull()
  })

  test('is not changed over the change of another administrator', async () => {
    const created = await create()
    await put(created, { description: 'First' }, { ifMatch: `"${created.version}"` })
    const second = put(created, { description: 'Second' }, { ifMatch: `"${created.version}"` })
    await expect(second).rejects.toMatchObject({ status: 412 })
    const [event] = await service.sql`
      select actor_id, before, after from audit_events where action = 'identity-api.changed' and target_id = ${created.id}`
    expect(event).toMatchObject({ actorId: ada.id, before: { description: '' }, after: { description: 'First' } })
  })

  test('has names and an audience of its own, also in the trash', async () => {
    const first = await create({ scopes: [scope('own.read')] })
    for (const check of [1, 2]) {
      await expect(create({ name: first.name })).rejects.toMatchObject(failure(409, 'identity-api-name-taken', 'name'))
      await expect(create({ name: 'own.read' })).rejects.toMatchObject(failure(409, 'identity-api-name-taken', 'name'))
      await expect(create({ audience: first.audience })).rejects.toMatchObject(
        failure(409, 'audience-taken', 'audience'),
      )
      for (const name of ['own.read', first.name]) {
        const taken = create({ scopes: [scope(`free${check}`), scope(name)] })
        await expect(taken).rejects.toMatchObject(failure(409, 'scope-taken', 'scopes[1].name'))
      }
      if (check === 1) await remove(first.id)
    }
    const stale = { params: { apiId: first.id } }
    await expect(ada.call(api.restoreIdentityApi, stale, { ifMatch: '"1"' })).rejects.toMatchObject({ status: 412 })
    expect(await restore(first.id)).toMatchObject({ ...api.toApiFields(first), version: 3 })
  })

  test('names only existing applications, and only confidential ones as resource servers', async () => {
    const unknown = create({ allowedClients: ['nobody', 'shop'] })
    await expect(unknown).rejects.toMatchObject(failure(400, 'unknown-clients', 'allowedClients[0]'))
    const isPublic = create({ resourceServers: ['server', 'shop'] })
    await expect(isPublic).rejects.toMatchObject(failure(400, 'unknown-clients', 'resourceServers[1]'))
  })

  test('no longer names an application that was deleted', async () => {
    const { client } = await ada.call(clients.createClient, {
      body: { clientName: 'Short lived', redirectUris: ['https://short.example/'] } as never,
    })
    const created = await create({ allowedClients: [client.clientId], resourceServers: [client.clientId] })
    await ada.call(clients.deleteClient, { params: { clientId: client.clientId } })
    expect(await find(created.id)).toMatchObject({ allowedClients: [], resourceServers: [] })
  })
})

describe('the built-in API', () => {
  test('can change its description and its lifetime, and nothing else', async () => {
    const builtIn = await findBuiltIn()
    expect(builtIn).toMatchObject({ builtIn: true, audience: `${service.url}/passport`, tokenLifetimeSec: 3600 })
    const changed = await put(builtIn, { description: 'Use Passport', tokenLifetimeSec: 1800 })
    expect(changed).toMatchObject({ description: 'Use Passport', tokenLifetimeSec: 1800 })
    await put(changed, { description: builtIn.description, tokenLifetimeSec: 3600 })
    const changes = [
      { name: 'other' },
      { audience: 'https://other.example' },
      { displayName: 'Other' },
      { enabled: false },
      { scopes: [scope('builtin.more')] },
      { claims: ['email'] },
      { allowedClients: [] },
      { resourceServers: ['server'] },
    ]
    for (const change of changes) await expect(put(changed, change)).rejects.toMatchObject(failure(409, 'built-in'))
    await expect(remove(builtIn.id)).rejects.toMatchObject(failure(409, 'built-in'))
  })
})

describe('a scope', () => {
  const createService = (scopes: string[], name: string) =>
    ada.call(clients.createClient, { body: { clientName: name, apis: [{ name: scopes[0], scopes }] } as never })

  test('that an application has cannot be removed, nor its API be deleted', async () => {
    const created = await create({ scopes: [scope('used.read'), scope('used.write')] })
    const body = { clientName: 'Reader', apis: [{ name: created.name, scopes: ['used.read', created.name] }] }
    const { client } = await ada.call(clients.createClient, { body: body as never })
    expect(client.apis).toEqual(body.apis)
    const withoutUsed = put(created, { scopes: [scope('used.write')] })
    await expect(withoutUsed).rejects.toMatchObject(failure(409, 'scope-in-use'))
    await expect(put(created, { name: 'renamed' })).rejects.toMatchObject(failure(409, 'scope-in-use'))
    await expect(remove(created.id)).rejects.toMatchObject(failure(409, 'scope-in-use'))
    const changed = await put(created, { scopes: [scope('used.read', 'Another description')] })
    await ada.call(clients.deleteClient, { params: { clientId: client.clientId } })
    expect((await put(changed, { scopes: [] })).scopes).toEqual([])
    await remove(created.id)
  })

  test('that users consented to cannot be removed; after the purge of its API neither consents nor tokens have it', async () => {
    const created = await create({ scopes: [scope('agreed.read')] })
    const visitor = await service.as('eve')
    const { id: eve } = visitor
    await consents.addScopes(service.sql, eve, 'shop', ['openid', 'agreed.read'])
    const chosen = { name: 'CI', scopes: [api.builtInApiName, 'agreed.read'], expiresInDays: 365 }
    const { token } = await visitor.call(createPersonalToken, { body: chosen })
    expect(token.scopes).toHaveLength(2)
    await expect(put(created, { scopes: [] })).rejects.toMatchObject(failure(409, 'scope-in-use'))
    await remove(created.id)
    await service.sql`update identity_apis set deleted_at = now() - interval '31 days' where id = ${created.id}`
    await purgeTrash(service.sql)
    expect((await consents.list(service.sql, eve))[0]?.scopes).toEqual(['openid'])
    await expect(restore(created.id)).rejects.toMatchObject(failure(404, 'identity-api-not-found'))
    await create({ name: created.name, scopes: [scope('agreed.read')] })
    const [kept] = await visitor.call(listPersonalTokens, {})
    expect(kept?.scopes.map(({ name }) => name)).toEqual([api.builtInApiName])
  })

  test('of an application must exist', async () => {
    const created = await create()
    const unknownApi = createService(['nothing'], 'A')
    await expect(unknownApi).rejects.toMatchObject(failure(400, 'unknown-api-scopes', 'apis[0].name'))
    const unknownScope = createService([created.name, 'nothing'], 'B')
    await expect(unknownScope).rejects.toMatchObject(failure(400, 'unknown-api-scopes', 'apis[0].scopes[1]'))
    const builtIn = createService([api.builtInApiName], 'C')
    await expect(builtIn).rejects.toMatchObject(failure(400, 'unknown-api-scopes', 'apis[0].name'))
  })
})

describe('an import of scopes', () => {
  const toDocument = (scopes: Record<string, string>) =>
    JSON.stringify({
      openapi: '3.1.0',
      components: { securitySchemes: { o: { type: 'oauth2', flows: { f: { scopes } } } } },
    })
  const send = (apiId: string, scopes: Record<string, string>, options: { dryRun?: boolean } = {}) =>
    ada.call(api.importApiScopes, {
      params: { apiId },
      body: { document: toDocument(scopes), dryRun: false, ...options },
    })

  test('adds scopes and changes descriptions, and a dry run only returns them', async () => {
    const taken = await create({ scopes: [scope('import.taken')] })
    const created = await create({ scopes: [scope('import.same', 'Same'), scope('import.old', 'Old')] })
    const documented = { 'import.same': 'Same', 'import.old': 'New', 'import.added': 'Added', 'import.taken': '' }
    const changes = {
      added: [scope('import.added', 'Added')],
      changed: [{ name: 'import.old', from: 'Old', to: 'New' }],
      unchanged: ['import.same'],
      rejected: [{ name: 'import.taken', reason: expect.any(String) }],
    }
    expect(await send(created.id, documented, { dryRun: true })).toEqual(changes)
    expect(await find(created.id)).toEqual(created)
    expect(await send(created.id, documented)).toEqual(changes)
    expect(await find(created.id)).toMatchObject({
      scopes: [scope('import.same', 'Same'), scope('import.old', 'New'), scope('import.added', 'Added')],
      version: 2,
    })
    expect(await find(taken.id)).toEqual(taken)
  })

  test('leaves an API with at most 100 scopes, and the built-in one as it is', async () => {
    const { id } = await create({ scopes: [scope('import.kept')] })
    const more = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`import.more.${index}`, '']))
    await expect(send(id, more(100), { dryRun: true })).rejects.toMatchObject(failure(409, 'too-many-scopes'))
    expect((await send(id, more(99))).added).toHaveLength(99)
    const builtIn = await findBuiltIn()
    await expect(send(builtIn.id, {}, { dryRun: true })).rejects.toMatchObject(failure(409, 'built-in'))
  })
})

describe('the list', () => {
  test('finds APIs by name and audience, by status and by application, in pages of both orders', async () => {
    for (const displayName of ['List café', 'List beta', 'List alpha'])
      await create({ displayName, enabled: displayName !== 'List beta', allowedClients: ['shop'] })
    const list = async (query: object) => {
      const { items, total, next } = await ada.call(api.listIdentityApis, { query: { limit: 2, ...query } as never })
      return { names: items.map(({ displayName }) => displayName), total, next }
    }
    const first = await list({ query: 'list' })
    expect(first).toMatchObject({ names: ['List alpha', 'List beta'], total: 3 })
    const after = new URL(first.next ?? '', service.url).searchParams.get('after')
    expect((await list({ query: 'list', after })).names).toEqual(['List café'])
    expect((await list({ query: 'CAFE' })).names).toEqual(['List café'])
    expect((await list({ query: '/passport' })).names).toEqual(['Passport'])
    expect((await list({ query: 'list', status: 'disabled' })).names).toEqual(['List beta'])
    expect((await list({ query: 'list', client: 'shop' })).total).toBe(3)
    expect((await list({ query: 'list', client: 'server' })).total).toBe(0)
    expect((await list({ query: 'passport', client: 'server' })).total).toBe(1)
    const newest = await list({ query: 'list', sort: 'updated', direction: 'desc' })
    expect(newest.names).toEqual(['List alpha', 'List beta'])
  })
})

describe('a request', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `unknown-${index}`)
  const scopes = (count: number) => Array.from({ length: count }, (_, index) => scope(`many${count}.${index}`))

  test.for<[string, Record<string, unknown>]>([
    ['a name of 64 characters', { name: `n${'x'.repeat(63)}` }],
    ['every character of a name', { name: 'a0_.:-z' }],
    ['100 scopes', { scopes: scopes(100) }],
    ['a display name of 100 characters', { displayName: 'x'.repeat(100) }],
    ['a description of 200 characters', { description: 'x'.repeat(200) }],
    ['a lifetime of 60 s', { tokenLifetimeSec: 60 }],
    ['a lifetime of 24 h', { tokenLifetimeSec: 86_400 }],
    ['a URN as the audience', { audience: 'urn:example:api' }],
    ['an audience of 500 characters', { audience: `https://a.example/${'x'.repeat(482)}` }],
  ])('with %s is accepted', async ([, body]) => {
    expect(await create(body)).toMatchObject(body)
  })

  test.for<[string, Record<string, unknown>, string]>([
    ['a name of 65 characters', { name: `n${'x'.repeat(64)}` }, 'name'],
    ['a capital', { name: 'Api' }, 'name'],
    ['a leading digit', { name: '1api' }, 'name'],
    ['a space', { name: 'a b' }, 'name'],
    ['a standard scope', { scopes: [scope('openid')] }, 'scopes[0].name'],
    ["a scope of Passport's own", { scopes: [scope('passport.admin')] }, 'scopes[0].name'],
    ['a scope of applications', { name: 'permissions.read' }, 'name'],
    ['101 scopes', { scopes: scopes(101) }, 'scopes'],
    ['a repeated scope', { scopes: [scope('twice'), scope('twice')] }, 'scopes'],
    ['a scope with the name of the API', { name: 'same', scopes: [scope('same')] }, 'scopes'],
    ['a display name of 101 characters', { displayName: 'x'.repeat(101) }, 'displayName'],
    ['201 allowed applications', { allowedClients: names(201) }, 'allowedClients'],
    ['201 resource servers', { resourceServers: names(201) }, 'resourceServers'],
    ['200 unknown applications', { allowedClients: names(200) }, 'allowedClients[0]'],
    ['200 unknown resource servers', { resourceServers: names(200) }, 'resourceServers[0]'],
    ['a description of two lines', { description: 'a\nb' }, 'description'],
    ['a description of 201 characters', { description: 'x'.repeat(201) }, 'description'],
    ['a lifetime of 59 s', { tokenLifetimeSec: 59 }, 'tokenLifetimeSec'],
    ['a lifetime of more than 24 h', { tokenLifetimeSec: 86_401 }, 'tokenLifetimeSec'],
    ['a fragment in the audience', { audience: 'https://a.example/#b' }, 'audience'],
    ['a relative audience', { audience: '/api' }, 'audience'],
    ['a password in the audience', { audience: 'https://a:b@c.example' }, 'audience'],
    ['an audience of 501 characters', { audience: `https://a.example/${'x'.repeat(483)}` }, 'audience'],
    ['an unknown claim', { claims: ['address'] }, 'claims[0]'],
  ])('with %s is rejected at its field', async ([, body, field]) => {
    const errors = expect.arrayContaining([expect.objectContaining({ field })])
    await expect(create(body)).rejects.toMatchObject({ status: 400, body: { errors } })
  })

  test('for a preview has scopes of at most 8,000 characters, and a search has 100', async () => {
    const { id } = await findBuiltIn()
    const preview = (length: number) =>
      ada.call(api.previewApiToken, { params: { apiId: id }, query: { clientId: 'shop', scope: 'x'.repeat(length) } })
    expect((await preview(8000)).refusal).not.toBeNull()
    await expect(preview(8001)).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'scope' }] } })
    const search = (length: number) => ada.call(api.listIdentityApis, { query: { query: 'z'.repeat(length) } as never })
    expect((await search(100)).items).toEqual([])
    await expect(search(101)).rejects.toMatchObject({ status: 400, body: { errors: [{ field: 'query' }] } })
  })

  test('names scopes that a scope parameter can carry', () => {
    const character = fc.constantFrom(...'azAZ09_.:- "\\\té')
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 4 }), (name) => {
        // RFC 6749, section 3.3
        if (z.safeParse(api.ScopeName, name).success) expect(name).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
      }),
    )
  })
})
