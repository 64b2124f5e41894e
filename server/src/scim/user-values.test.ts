import { listScimRequests } from '@passport/contract/scim'
import { guidOf } from '@passport/world/entra/tenants'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { Omissions } from './omissions.ts'
import { type Attribute, userType } from './schema.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'
import { readNewUser, readUserValues } from './user-values.ts'

const enterprise = userType.extension?.id ?? ''
const optional = userType.schema.attributes.filter(({ name }) => name !== 'userName').map(({ name }) => name)
const ofExtension = userType.extension?.attributes.map(({ name }) => name) ?? []
const further = ['externalId', 'photos', 'roles', 'password', 'entitlements', 'urn:example:custom', 'a\u0000b']

/** Values that clients send by mistake, or that are too long. */
const odd: unknown[] = [
  '',
  ' ',
  'x'.repeat(300),
  'x'.repeat(20_000),
  '😀'.repeat(400),
  'a\u0301'.repeat(3_000),
  'a\u0000b',
  '\ud800',
  '\u200b\u202e',
  'a\nb',
  'NULL',
  0,
  2 ** 63,
  1e300,
  true,
  null,
  [],
  {},
  [[]],
  [null, 'a', 1],
  ['x', 'y'],
  { value: null },
  { value: { value: 'x' } },
  { $ref: 1, value: ['a'] },
  [{ value: 'x'.repeat(20_000), type: 5, primary: 'maybe' }],
  Array.from({ length: 150 }, (_, index) => ({ value: `v${index}`, primary: true })),
  'employee-42',
  'DROP TABLE users;',
  'x@'.repeat(200),
]

/** Returns users whose attributes, and those whose sub-attributes, all have one value. */
const withAll = (value: unknown) => {
  const toComplex = ({ subAttributes = [] }: Attribute) =>
    Object.fromEntries(subAttributes.map(({ name }) => [name, value]))
  const nested = userType.schema.attributes.filter(({ type }) => type === 'complex')
  return [
    {
      ...Object.fromEntries([...optional, ...further].map((name) => [name, value])),
      [enterprise]: Object.fromEntries(ofExtension.map((name) => [name, value])),
    },
    { ...Object.fromEntries(nested.map((attribute) => [attribute.name, [toComplex(attribute)]])), [enterprise]: value },
  ]
}

test('any values of the optional attributes give a user', () => {
  const value = fc.oneof(fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 3 }))
  const body = fc.record(
    {
      ...Object.fromEntries([...optional, ...further].map((name) => [name, value])),
      [enterprise]: fc.oneof(value, fc.record(Object.fromEntries(ofExtension.map((name) => [name, value])))),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(body, (body) => {
      const omissions = new Omissions()
      const resource = readNewUser({ ...body, userName: 'mira' }, omissions)
      const { attributes, userName, displayName } = readUserValues(resource)
      expect(userName).toBe('mira')
      expect(displayName ?? 'none').toMatch(/\S/)
      // What is stored can be read again, without a loss.
      const again = new Omissions()
      expect(readNewUser(resource, again)).toEqual(resource)
      expect(again.toNotes()).toEqual([])
      expect(JSON.stringify(attributes)).not.toContain('\\u0000')
    }),
  )
})

describe('a client', () => {
  let entra: EntraService
  let client: TestClient
  beforeAll(async () => {
    entra = await startEntraService({ tenants: [createTenant(1)] })
    client = await createTestClient(entra, 'company-1.example')
  })
  const lastNotes = async () => {
    const { items } = await entra.ada.call(listScimRequests, { params: { orgId: client.orgId }, query: { limit: 1 } })
    return items[0]?.notes ?? []
  }
  const find = async (id: string) => {
    const [row] = await entra.service.sql`
      select display_name, email, disabled_at, array(select subject from logins where user_id = u.id) as subjects
      from users u where id = ${id}`
    return row
  }

  test('creates and replaces a user with any values of the optional attributes', async () => {
    const { id } = (await client.send('POST', 'Users', { userName: 'replaced' })).body
    for (const [index, value] of odd.entries()) {
      const label = JSON.stringify(value).slice(0, 40)
      const [plain, nested] = withAll(value)
      for (const body of [plain, nested]) {
        const userName = `odd-${index}-${body === plain}`
        const created = await client.send('POST', 'Users', { ...body, userName })
        expect([label, created.status, created.body['userName']]).toEqual([label, 201, userName])
      }
      const replaced = await client.send('PUT', `Users/${id}`, { ...nested, userName: 'replaced' })
      expect([label, replaced.status]).toEqual([label, 200])
    }
  })

  test('gets a long name back as it sent it, and the account shows a shorter one', async () => {
    const displayName = `${'Maria Fernanda da Silva Gonçalves, '.repeat(7)}Acme`
    const { id, ...created } = (await client.send('POST', 'Users', newUser('long@company-1.example', { displayName })))
      .body
    expect(created).toMatchObject({ displayName })
    const shown = `${displayName.slice(0, 63)}…`
    expect(await find(id)).toMatchObject({ displayName: shown })
    expect(await lastNotes()).toEqual([`The name is returned as sent, and shown as “${shown}”.`])
    const filter = encodeURIComponent(`displayName eq "${displayName}"`)
    expect((await client.send('GET', `Users?filter=${filter}`)).body).toMatchObject({
      Resources: [{ id, displayName }],
    })
    // Its return changes nothing.
    const patched = await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'title', value: 'x' }))
    expect(patched.body).toMatchObject({ displayName })
    await entra.service.sql`update users set display_name = 'By Hand' where id = ${id}`
    expect((await client.send('GET', `Users/${id}`)).body).toMatchObject({ displayName: 'By Hand' })
  })

  test('finds a user by the external id as it was sent, in any letter case if it is an object id', async () => {
    const objectId = guidOf('upper')
    const externalId = objectId.toUpperCase()
    const created = await client.send('POST', 'Users', newUser('upper@company-1.example', { externalId }))
    expect(created).toMatchObject({ status: 201, body: { externalId } })
    expect(await find(created.body.id)).toMatchObject({ subjects: [objectId] })
    const findBy = async (filter: string) =>
      ((await client.send('GET', `Users?filter=${encodeURIComponent(filter)}`)).body as { totalResults?: number })
        .totalResults
    for (const text of [externalId, objectId])
      expect([text, await findBy(`externalId eq "${text}"`)]).toEqual([text, 1])
    expect(await client.send('POST', 'Users', newUser('b@company-1.example', { externalId: objectId }))).toMatchObject({
      status: 409,
      body: { detail: 'The user with this externalId exists.' },
    })
    await client.send('POST', 'Users', newUser('c@company-1.example', { externalId: 'Employee-43' }))
    expect(await findBy('externalId eq "Employee-43"')).toBe(1)
    expect(await findBy('externalId eq "employee-43"')).toBe(0)
    await client.send('POST', 'Users', newUser(' İnci@Company-1.example ', { externalId: 'd' }))
    expect(await findBy('userName eq " İnci@Company-1.example "')).toBe(1)
  })

  test('creates a user whose external id is no object id, without a login, until it sends one', async () => {
    const userName = 'no-object-id@company-1.example'
    const { status, body } = await client.send('POST', 'Users', newUser(userName, { externalId: 'employee-1' }))
    expect([status, body['externalId']]).toEqual([201, 'employee-1'])
    expect(await find(body.id)).toMatchObject({ subjects: [] })
    expect(await lastNotes()).toEqual([
      'The user cannot sign in at the tenant: the externalId is no object id. Map externalId to objectId.',
    ])
    const setExternalId = (value: unknown) =>
      client.send('PATCH', `Users/${body.id}`, patch({ op: 'replace', path: 'externalId', value }))
    await setExternalId(guidOf(userName))
    expect(await find(body.id)).toMatchObject({ subjects: [guidOf(userName)] })
    // Another id of the client, a blank and a long one do not end the login.
    for (const value of ['employee-1', '', 'x'.repeat(600), guidOf(userName).toUpperCase()]) {
      expect((await setExternalId(value)).status).toBe(200)
      expect(await find(body.id)).toMatchObject({ subjects: [guidOf(userName)] })
    }
  })

  test('reads in the log what was not stored', async () => {
    const { body } = await client.send('POST', 'Users', {
      ...newUser('omitted@company-1.example'),
      active: 'maybe',
      title: { a: 1 },
      roles: [{ value: 'Passport.Admin' }],
      emails: [{ value: 'omitted@company-1.example', primary: 'often', colour: 'red' }],
      nickName: 'x'.repeat(20_000),
    })
    expect(body).toMatchObject({ active: false, emails: [{ value: 'omitted@company-1.example' }] })
    expect((await find(body.id))?.['disabledAt']).not.toBeNull()
    expect(await lastNotes()).toEqual([
      'Not stored: active (neither true nor false, so that the user is disabled); emails.primary (neither true nor false); emails.colour, roles (no attribute of the schema); title (no text); nickName (more than 16384 characters).',
    ])
    const change = (value: unknown) =>
      client.send('PATCH', `Users/${body.id}`, patch({ op: 'replace', value: { active: value, title: 'Lead' } }))
    expect(await change('maybe')).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    for (const value of ['', null]) expect((await change(value)).body).toMatchObject({ active: false, title: 'Lead' })
    expect((await change(['1'])).body).toMatchObject({ active: true })
  })
})
