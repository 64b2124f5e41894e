import { readFileSync } from 'node:fs'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { createOrg } from '@passport/contract/orgs'
import { createRole } from '@passport/contract/roles'
import { createUser, listUsers } from '@passport/contract/users'
import { createTestBrowser } from '@passport/world/browser'
import { beforeAll, describe, expect, test } from 'vitest'
import { exportDocument } from '../directory-config/read.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { applySource } from './apply.ts'
import { readCsv } from './csv.ts'
import { readKeycloak } from './keycloak.ts'
import { InvalidSource, type TargetProvider } from './source.ts'
import * as store from './store.ts'
import { takeBack } from './take-back.ts'

/** An export of Keycloak 26.7, made by `scripts/export-keycloak.mjs`. */
const realm: unknown = JSON.parse(readFileSync(new URL('keycloak-export.json', import.meta.url), 'utf8'))
const harbour: TargetProvider = { id: 'harbour', issuer: 'https://login.harbour.example' }
const readRealm = () => readKeycloak(realm, [harbour])

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

const findUser = async (username: string) => {
  const [row] = await service.sql<
    { id: string; displayName: string; email: string; emailVerified: boolean; disabled: boolean }[]
  >`
    select id, display_name, email, email_verified, disabled_at is not null as disabled from users
    where username = ${username} and deleted_at is null`
  return row
}
const rolesOf = async (username: string) => {
  const rows = await service.sql<{ role: string }[]>`
    select role from effective_roles where user_id = (select id from users where username = ${username} and deleted_at is null)
    order by role`
  return rows.map(({ role }) => role)
}
async function signIn(name: string, password: string) {
  const browser = createTestBrowser(service.url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  return page.url.includes('/app/login')
    ? 'signed in'
    : (/role="alert"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? page.text)
}

describe('the export of a realm', () => {
  test('gives users, groups, roles, organisations, identities and passwords', async () => {
    const before = await exportDocument(service.sql)
    const dryRun = await applySource(service.sql, readRealm(), { isDryRun: true })
    expect(await exportDocument(service.sql)).toEqual(before)
    const source = readRealm()
    const result = await applySource(service.sql, source)
    expect(result).toMatchObject({ users: 8, groups: 3, organisations: 1, unchanged: 0 })
    expect(dryRun).toEqual({ ...result, importId: null })

    expect(await findUser('anna')).toMatchObject({
      displayName: 'Anna Berg',
      email: 'anna@northwind.example',
      emailVerified: true,
    })
    expect(await findUser('dmitri')).toMatchObject({ displayName: 'Дмитрий Орлов', emailVerified: false })
    expect(await findUser('gone')).toMatchObject({ disabled: true })
    // Composite roles and those of the groups above count.
    expect(await rolesOf('anna')).toEqual(['Crew', 'Stage.Editor', 'StageViewer'])
    expect(await rolesOf('bert')).toEqual(['Imported.Passport.Admin', 'StageViewer'])
    expect(await rolesOf('carla')).toEqual(['BoxOffice.Seller'])
    const { groups, orgs } = await exportDocument(service.sql)
    expect(groups).toContainEqual({
      org: null,
      name: 'Staff / Lighting',
      description: '',
      roles: ['Stage.Editor', 'StageViewer'],
    })
    expect(orgs).toContainEqual(
      expect.objectContaining({ slug: 'northwind', name: 'Northwind Traders', domains: ['northwind.example'] }),
    )
    const identities =
      await service.sql`select subject from logins where provider_id = 'harbour' and issuer = ${harbour.issuer}`
    expect(identities).toEqual([{ subject: 'anna-at-harbour' }])
    const members = await service.sql`
      select u.username from org_members m join users u on u.id = m.user_id join orgs o on o.id = m.org_id
      where o.slug = 'northwind' order by 1`
    expect(members.map(({ username }) => username)).toEqual(['anna', 'bert'])
  })

  test('lists every field that is kept, changed or dropped, and who has no password', () => {
    const { report } = readRealm()
    const find = (outcome: string, field: string) =>
      report.entries.filter((entry) => entry.outcome === outcome && entry.field === field)
    expect(find('kept', 'users.email')).toMatchObject([{ count: 7 }])
    expect(find('kept', 'users.credentials.password')).toMatchObject([{ count: 5 }])
    expect(find('changed', 'roles.name').flatMap(({ examples }) => examples)).toContain('stage-viewer → StageViewer')
    expect(find('dropped', 'users.createdTimestamp')).toMatchObject([{ count: 8, examples: ['anna', 'bert', 'carla'] }])
    expect(find('dropped', 'users.requiredActions')).toMatchObject([{ count: 1, examples: ['hanna'] }])
    expect(find('dropped', 'groups.attributes')).toMatchObject([{ examples: ['/Staff'] }])
    expect(find('dropped', 'users.federatedIdentities')).toMatchObject([
      { reason: expect.stringContaining('lighthouse') },
    ])
    expect(find('dropped', 'realm.clients')).toHaveLength(1)
    expect(report.withoutPassword).toEqual([
      { user: 'emil', reason: 'pbkdf2 with 2000001 iterations; at most 2000000 is allowed' },
    ])
  })

  test('lets everyone sign in with the password of before, and stores it as a new one', async () => {
    const signIns = { anna: 'argon2', bert: 'sha512', carla: 'sha256', dmitri: 'sha1' }
    for (const [name, scheme] of Object.entries(signIns)) {
      expect(await signIn(name, 'a wrong one')).toContain('Wrong username or password')
      expect(await signIn(name, `${scheme} of ${name}`)).toBe('signed in')
    }
    expect(await signIn('frida@northwind.example', 'argon2 of frida')).toBe('signed in')
    const hashes = await service.sql<{ passwordHash: string }[]>`
      select password_hash from directory_people where name = any(${Object.keys(signIns)})`
    expect(hashes.map(({ passwordHash }) => passwordHash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(await signIn('bert', 'sha512 of bert')).toBe('signed in')
  })

  test('changes nothing when it is imported again', async () => {
    const [before, people] = [
      await exportDocument(service.sql),
      await service.sql`select id, version from users order by id`,
    ]
    const result = await applySource(service.sql, readRealm())
    expect(result).toEqual({ importId: null, users: 0, roles: 0, groups: 0, organisations: 0, unchanged: 8 })
    expect(await exportDocument(service.sql)).toEqual(before)
    expect(await service.sql`select id, version from users order by id`).toEqual(people)
    expect(await store.list(service.sql)).toHaveLength(1)
  })

  test('keeps every organisation of a user', () => {
    const members = [{ username: 'Anna' }]
    const organizations = ['north', 'south'].map((alias) => ({ name: alias, alias, members }))
    const { users } = readKeycloak({ realm: 'stage', users: [{ username: 'anna' }], organizations }, [])
    expect(users.map(({ orgs }) => orgs.map(({ slug }) => slug))).toEqual([['north', 'south']])
  })

  test('is rejected if it is something else', () => {
    for (const document of [
      null,
      [],
      {},
      { realm: 1 },
      { realm: 'stage', users: [{}] },
      { realm: 'stage', groups: 'x' },
    ])
      expect(() => readKeycloak(document, [])).toThrow(InvalidSource)
  })
})

test('an import that is taken back leaves the directory as it was, and can be repeated', async () => {
  const { sql } = await startTestService()
  const before = await exportDocument(sql)
  const { importId } = await applySource(sql, readRealm())
  expect(await takeBack(sql, importId ?? '')).toEqual({ takenBack: 8 + 3 + 5 + 1, kept: 0 })
  expect(await exportDocument(sql)).toEqual(before)
  expect(await sql`select from logins where provider_id = 'harbour'`).toHaveLength(0)
  expect(await sql`select from directory_people where name = 'anna'`).toHaveLength(0)
  expect(await applySource(sql, readRealm())).toMatchObject({ users: 8, roles: 5 })
})

test('a record that is in use is not taken back', async () => {
  const { sql } = service
  const [{ id: importId } = { id: '' }] = await store.list(sql)
  const role = 'Stage.Mapped'
  await sql`insert into roles (name, description) values (${role}, '')`
  const mapped = { kind: 'role', sourceKey: 'mapped', recordId: role, version: null } as const
  await store.addRecords(sql, importId, [mapped])
  // Nobody has the role now, but the next sign-in at the tenant would give it.
  await sql`insert into orgs (id, name, slug) values ('mapping', 'Mapping', 'mapping')`
  const mappings = [{ appRole: 'Author', role }]
  await sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name, mappings)
    values ('mapping', gen_random_uuid(), 'AzurePublic', 'Tenant', ${sql.json(mappings)})`
  // Four of them have signed in, with their groups, roles and organisation.
  expect(await takeBack(sql, importId)).toMatchObject({ kept: expect.any(Number) })
  expect(await findUser('anna')).toBeDefined()
  expect(await findUser('hanna')).toBeUndefined()
  expect((await exportDocument(sql)).roles.map(({ name }) => name)).toContain(role)
  expect(await sql`select mappings from entra_connections`).toEqual([{ mappings }])
  expect((await exportDocument(sql)).groups).toContainEqual(expect.objectContaining({ name: 'Staff / Lighting' }))
  expect((await exportDocument(sql)).groups).not.toContainEqual(expect.objectContaining({ name: 'Guests' }))
})

test('an interrupted import continues where it stopped', async () => {
  const { sql } = await startTestService()
  const rows = Array.from({ length: 250 }, (_, index) => `user${index},user${index}@northwind.example`)
  const read = (lines: string[]) => readCsv(Buffer.from(['username,email', ...lines].join('\n')), 'people.csv', [])
  // The transaction of the third batch fails.
  const broken = await read(rows)
  Object.defineProperty(broken.users[220], 'identities', {
    get: () => {
      throw new Error('interrupted')
    },
  })
  await expect(applySource(sql, broken)).rejects.toThrow('interrupted')
  expect(await store.list(sql)).toMatchObject([{ state: 'applying', users: 200 }])
  expect(await applySource(sql, await read(rows))).toMatchObject({ users: 50, unchanged: 200 })
  expect(await store.list(sql)).toMatchObject([{ state: 'applied', users: 250 }])
})

test('a CSV file has users with passwords, lists and identities', async () => {
  const hash = await hashBcrypt('bcrypt of ida', { cost: 4 })
  const text = `\ufeffUsername,Display name,E-mail,email verified,Roles,Groups,Organisations,password_hash,provider,subject,Shoe size
ida,Ida Nord,ida@contoso.example,true,Stage.Editor;Passport.Admin,Editors; Night shift,Contoso Söhne,${hash},harbour,ida-1,39
jon,'=Jon,,,,,,$1$md5$qJH7.N4xYta3aEG/dfqo/0,nowhere,jon-1,
joy,Joy,not an email,maybe,,,,,,,
ada,Another Ada,ADA@passport.example,,,,,,,,
`
  const source = await readCsv(Buffer.from(text), 'people.csv', [harbour])
  const result = await applySource(service.sql, source, { confirmJoins: () => true })
  expect(result).toMatchObject({ users: 2 })
  expect(source.users.map(({ displayName }) => displayName)).toEqual(['Ida Nord', '=Jon', 'Another Ada'])
  const reason =
    'line 4: E-mail “not an email”: Not a valid email address. email verified “maybe”: Enter true or false.'
  expect(source.report.notImported).toEqual([
    { user: 'joy', reason },
    { user: 'ada', reason: 'line 5: the email is taken, the username is taken' },
  ])
  expect(source.report.withoutPassword).toEqual([{ user: 'jon', reason: 'a hash in an unknown format' }])
  expect(source.report.notes).toEqual(['Read as UTF-8, separated by commas.', 'Ignored columns: Shoe size.'])
  const dropped = source.report.entries.filter(({ outcome }) => outcome === 'dropped').map(({ field }) => field)
  expect(dropped.sort()).toEqual(['passwordHash', 'subject'])
  expect(await rolesOf('ida')).toEqual(['Stage.Editor'])
  expect(await signIn('ida', 'bcrypt of ida')).toBe('signed in')
})

test('the CSV that the console exports is imported with roles and organisations', async () => {
  const [from, to] = await Promise.all([startTestService(), startTestService()])
  const ada = await from.as('ada')
  await ada.call(createRole, { body: { name: 'Desk.Agent', description: 'Answers requests' } })
  await ada.call(createRole, { body: { name: 'Wiki.Reader', description: 'Reads' } })
  const { id: orgId } = await ada.call(createOrg, { body: { name: 'Contoso Söhne', slug: 'contoso' } })
  const roles = ['Desk.Agent', 'Wiki.Reader']
  const body = {
    displayname: '\'=Zoë, “the”;"Ång"',
    username: 'zoe',
    email: 'zoe@example.com',
    emailVerified: true,
    roles,
  }
  const { id } = await ada.call(createUser, { query: {}, body })
  await from.sql`insert into org_members (org_id, user_id, role) values (${orgId}, ${id}, 'member')`
  const exported = await (await ada.fetch('/passport/admin/users/export?query=zoe')).arrayBuffer()
  const source = await readCsv(new Uint8Array(exported), 'users.csv', [])
  expect(await applySource(to.sql, source)).toMatchObject({ users: 1, roles: 2, organisations: 1 })
  const admin = await to.as('ada')
  const { items } = await admin.call(listUsers, { query: { query: 'zoe' } })
  expect(items).toMatchObject([body])
  expect(items[0]?.orgs).toMatchObject([{ name: 'contoso' }])
})

test.each([
  ['', 'The file is empty.'],
  ['shoe,size\n1,2', 'No column of line 1 is known, by commas, semicolons or tabs: “shoe,size”.'],
  ['username,Username\na,b', 'The column Username is listed twice.'],
  ['username,email\n"open', 'The quotation mark that opens a cell in line 2 is never closed.'],
  ['username\na\0da\n', 'Save it as CSV in UTF-8'],
])('the CSV file %j is rejected', async (text, message) => {
  await expect(readCsv(Buffer.from(text), 'people.csv', [])).rejects.toThrow(message)
})
