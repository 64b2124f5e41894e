import { pbkdf2Sync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readKeycloak } from './keycloak.ts'
import { readKeycloakFiles } from './keycloak-files.ts'

const read = (document: object) => readKeycloak({ realm: 'harbour', ...document }, [])

describe('a reference to a record that the export lacks', () => {
  const user = { username: 'nils' }
  test.each<[string, object]>([
    ['the role crew (of the user nils)', { users: [{ ...user, realmRoles: ['crew'] }] }],
    ['the role shop.seller (of the user nils)', { users: [{ ...user, clientRoles: { shop: ['seller'] } }] }],
    ['the role admin (of the user nils)', { users: [{ ...user, realmRoles: ['admin'] }] }],
    [
      'the role crew (of the group /A/B)',
      { groups: [{ name: 'A', subGroups: [{ name: 'B', realmRoles: ['crew'] }] }] },
    ],
    ['the role crew (of the role all)', { roles: { realm: [{ name: 'all', composites: { realm: ['crew'] } }] } }],
    [
      'the role shop.seller (of the role default-roles-harbour)',
      { roles: { realm: [{ name: 'default-roles-harbour', composites: { client: { shop: ['seller'] } } }] } },
    ],
    [
      'the group /Crew/Night (of the user nils)',
      { users: [{ ...user, groups: ['/Crew/Night'] }], groups: [{ name: 'Crew' }] },
    ],
    ['the user nils (of the organisation Tide)', { organizations: [{ name: 'Tide', members: [user] }] }],
    [
      'the identity provider quay (of the user nils)',
      { users: [{ ...user, federatedIdentities: [{ identityProvider: 'quay', userId: '1' }] }] },
    ],
  ])('is an error that names it: %s', (named, document) => {
    expect(() => read(document)).toThrow(`The file lacks what it refers to: ${named}. An export by folder`)
  })

  test('is none for roles of Keycloak itself', () => {
    const realmRoles = ['default-roles-harbour', 'offline_access']
    const { users } = read({ users: [{ ...user, realmRoles, clientRoles: { account: ['view-profile'] } }] })
    expect(users).toMatchObject([{ username: 'nils', roles: [] }])
  })

  test('is named up to twenty times', () => {
    const realmRoles = Array.from({ length: 25 }, (_, index) => `role ${index}`)
    expect(() => read({ users: [{ ...user, realmRoles }] })).toThrow(
      /the role role 19 \(of the user nils\) and 5 more\./,
    )
  })
})

test('null means the same as a missing field', () => {
  const { users } = read({
    groups: null,
    organizations: [{ name: 'Tide', domains: null, members: [null] }],
    users: [
      { username: 'nora', email: null, firstName: null, credentials: null, groups: null, attributes: { a: null } },
      { username: 'nils', realmRoles: [null], clientRoles: { shop: null }, federatedIdentities: null, enabled: null },
    ],
  })
  expect(users).toMatchObject([
    { username: 'nora', email: null, isDisabled: false },
    { username: 'nils', isDisabled: false },
  ])
})

test('attributes may be single texts, and are reported', () => {
  const { users, report } = read({ users: [{ username: 'rita', attributes: { locale: 'de', age: 7, tags: ['a'] } }] })
  expect(users).toHaveLength(1)
  expect(report.entries.filter(({ outcome }) => outcome === 'dropped').map(({ field }) => field)).toEqual([
    'users.attributes.locale',
    'users.attributes.age',
    'users.attributes.tags',
  ])
})

describe('the password of Keycloak 7 or older', () => {
  const salt = Buffer.from('0123456789abcdef')
  test.each([
    ['pbkdf2-sha256', 'sha256', 64],
    ['pbkdf2-sha512', 'sha512', 64],
    ['pbkdf2', 'sha1', 20],
    [undefined, 'sha1', 20],
  ])('by %s is read', (algorithm, digest, length) => {
    const key = pbkdf2Sync('a password of before', salt, 27_500, length, digest)
    const hashedSaltedValue = key.toString('base64')
    const credential = { type: 'password', hashedSaltedValue, salt: salt.toString('base64'), hashIterations: 27_500 }
    const { users } = read({ users: [{ username: 'pia', credentials: [{ ...credential, algorithm, digits: 0 }] }] })
    const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    expect(users[0]?.password?.hash).toBe(`$pbkdf2-${digest}$i=27500$${encode(salt)}$${encode(key)}`)
  })

  test.each([
    [{ hashedSaltedValue: 'aGFzaA==', algorithm: 'own' }, 'a hash by own'],
    [{ hashedSaltedValue: 'aGFzaA==', salt: 'c2FsdA==', hashIterations: 1 }, 'an incomplete hash'],
    [{ credentialData: '{"algorithm":5}', secretData: '{"value":"x"}' }, 'an incomplete hash'],
    [{ credentialData: '{"algorithm":"argon2"}', secretData: '{"value":{}}' }, 'an incomplete hash'],
    [{ credentialData: '{"algorithm":"pbkdf2"}', secretData: '{"value":"x","salt":1}' }, 'an incomplete hash'],
    [
      { credentialData: '{"algorithm":"argon2","additionalParameters":null}', secretData: '{"value":"x"}' },
      'argon2 of version ',
    ],
    [{ value: 'correct horse' }, 'a password in plain text, of which there is no hash'],
  ])('%j is not imported, for the reason', (credential, reason) => {
    const { report } = read({ users: [{ username: 'pia', credentials: [{ type: 'password', ...credential }] }] })
    expect(report.withoutPassword).toEqual([{ user: 'pia', reason }])
  })
})

test('the roles of the realm master for administrators of Keycloak are left out', () => {
  const own = ['create-client', 'impersonation', 'manage-users', 'query-groups', 'view-realm'].map((name) => ({ name }))
  const { roles, report } = readKeycloak(
    {
      realm: 'master',
      roles: {
        realm: [
          { name: 'admin', composites: { client: { 'harbour-realm': ['manage-users'] } } },
          { name: 'create-realm' },
          { name: 'crew' },
        ],
        client: { 'master-realm': own, 'harbour-realm': [...own, { name: 'pilot' }], shop: [{ name: 'manage-users' }] },
      },
      users: [{ username: 'nils', realmRoles: ['admin', 'crew'], clientRoles: { 'quay-realm': ['view-users'] } }],
    },
    [],
  )
  expect(roles.map(({ label }) => label)).toEqual(['crew', 'harbour-realm.pilot', 'shop.manage-users'])
  expect(report.notes).toEqual([
    'Roles of Keycloak itself that are left out: 12.',
    'The realm master has the administrators of Keycloak.',
  ])
})

describe('an export in several files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keycloak-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let serial = 0
  function write(files: Record<string, unknown>) {
    const path = join(folder, String(++serial))
    mkdirSync(path)
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(path, name), content instanceof Uint8Array ? content : JSON.stringify(content))
    return path
  }
  const realm = { realm: 'harbour', id: 'h', roles: { realm: [{ name: 'crew' }] }, groups: [{ name: 'Night' }] }
  const users = (...names: string[]) => ({
    realm: 'harbour',
    users: names.map((username) => ({ username, realmRoles: ['crew'], groups: ['/Night'] })),
  })
  const readUsers = (paths: string[], realm?: string) => readKeycloak(readKeycloakFiles(paths, realm), []).users

  test('is read as one, from a folder or as files', () => {
    const path = write({
      'harbour-realm.json': realm,
      'harbour-users-0.json': users('a.b', 'c.d'),
      'harbour-users-1.json': users('e.f'),
    })
    const found = readUsers([path])
    expect(found.map(({ username }) => username)).toEqual(['a.b', 'c.d', 'e.f'])
    for (const { roles, groups } of found) expect([roles[0]?.name, groups[0]?.name]).toEqual(['Crew', 'Night'])
    const files = ['harbour-users-0.json', 'harbour-realm.json', 'harbour-users-1.json'].map((name) => join(path, name))
    expect(readUsers(files)).toHaveLength(3)
  })

  test('may have a byte order mark, also of UTF-16, and no other encoding', () => {
    const text = `\ufeff${JSON.stringify({ realm: 'harbour', users: [{ username: 'nils', firstName: 'Sören' }] })}`
    for (const encoding of ['utf8', 'utf16le'] as const)
      expect(readUsers([write({ 'a.json': Buffer.from(text, encoding) })])[0]?.displayName).toBe('Sören')
    const path = write({ 'a.json': Buffer.from(text.slice(1), 'latin1') })
    expect(() => readUsers([path])).toThrow('a.json is not text in UTF-8.')
  })

  test('of several realms needs a choice', () => {
    const path = write({ 'all.json': [realm, { realm: 'master' }], 'harbour-users-0.json': users('a.b') })
    expect(() => readUsers([path])).toThrow(
      'The files have the realms harbour, master. Choose one with --realm <name>.',
    )
    expect(readUsers([path], 'harbour')).toHaveLength(1)
    expect(() => readUsers([path], 'quay')).toThrow('has no realm quay.')
  })

  test.each<[string, Record<string, unknown>]>([
    [
      'The file harbour-users-0.json is missing.',
      { 'harbour-realm.json': realm, 'harbour-users-1.json': users('a.b') },
    ],
    ['The file lacks what it refers to: the role crew (of the user a.b)', { 'harbour-users-0.json': users('a.b') }],
    ['is no part of the same export: another file has “roles” too.', { 'a.json': realm, 'b.json': realm }],
    ['is no export of a realm: it has no “realm”.', { 'a.json': realm, 'package.json': { name: 'x' } }],
    ['has no .json file.', {}],
    ['is not valid JSON', { 'a.json': Buffer.from('{') }],
  ])('is refused: %s', (message, files) => {
    expect(() => readUsers([write(files)])).toThrow(message)
  })

  test('without its users says so', () => {
    const { report } = readKeycloak(readKeycloakFiles([write({ 'harbour-realm.json': realm })]), [])
    expect(report.notes).toEqual([expect.stringMatching(/^The export has no users\. An export by folder/)])
    expect(() => readUsers([join(folder, 'nowhere')])).toThrow('cannot be read')
  })
})
