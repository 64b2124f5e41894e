import { hash as hashBcrypt } from '@node-rs/bcrypt'
import * as groupsApi from '@passport/contract/groups'
import * as orgsApi from '@passport/contract/orgs'
import { createRole } from '@passport/contract/roles'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { ConcurrentChangeError } from '../directory-config/apply.ts'
import { exportDocument } from '../directory-config/read.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { applySource, JoinsNotConfirmed } from './apply.ts'
import { readCsv } from './csv.ts'
import { readKeycloak } from './keycloak.ts'
import type { Join } from './report.ts'
import type { Source, TargetProvider } from './source.ts'
import * as store from './store.ts'

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  for (const name of ['Stage.Editor', 'StageViewer'])
    await ada.call(createRole, { body: { name, description: 'A role of this installation' } })
  await addGroup('Operators', ['Passport.Admin'])
  await addGroup('Staff / Night', ['Passport.Developer', 'Stage.Editor'])
  await addGroup('istanbul', ['Passport.Admin'])
  await addGroup('Editors', ['Stage.Editor'])
  await ada.call(orgsApi.createOrg, { body: { name: 'Contoso', slug: 'contoso' } })
})

async function addGroup(name: string, roles: string[]): Promise<string> {
  const { id } = await ada.call(groupsApi.createGroup, { body: { name } })
  await setRoles(id, roles)
  return id
}
const setRoles = (id: string, roles: string[]) =>
  ada.call(groupsApi.putGroupRoles, { params: { groupId: id }, query: {}, body: { roles } })

let serial = 0
const csv = (...lines: string[]) => readCsvFile(lines, `file${++serial}.csv`)
const readCsvFile = (lines: string[], name: string, providers: TargetProvider[] = []) =>
  readCsv(Buffer.from(lines.join('\n')), name, providers)
const keycloak = (document: object) => readKeycloak({ realm: `realm${++serial}`, ...document }, [])
const importAll = (source: Source) => applySource(service.sql, source, { confirmJoins: () => true })

const listBuiltIn = () => service.sql`
  select user_id, role, group_id from role_sources where role in (select name from roles where built_in)
  union all select user_id, 'owner', group_id from group_owners where group_id in (select group_id from group_roles)
  order by 1, 2, 3`
const rolesOf = async (username: string) => {
  const rows = await service.sql<{ role: string }[]>`
    select e.role from effective_roles e join users u on u.id = e.user_id
    where u.username = ${username} and u.deleted_at is null order by e.role`
  return rows.map(({ role }) => role)
}
const groupsOf = async (username: string) => {
  const rows = await service.sql<{ name: string }[]>`
    select g.name from group_members m join groups g on g.id = m.group_id join users u on u.id = m.user_id
    where u.username = ${username} order by g.name`
  return rows.map(({ name }) => name)
}

describe('a group with one of Passport’s own roles', () => {
  test.each([
    ['the group of a CSV file', (hash: string) => csv('username,groups,passwordHash', `otto,Operators,${hash}`)],
    [
      'a group of Keycloak',
      (hash: string) =>
        keycloak({
          groups: [{ name: 'Operators' }, { name: 'Staff', subGroups: [{ name: 'Night' }] }],
          users: [
            {
              username: 'olga',
              groups: ['/Operators', '/Staff/Night'],
              credentials: [
                {
                  type: 'password',
                  secretData: JSON.stringify({ value: hash }),
                  credentialData: '{"algorithm":"bcrypt"}',
                },
              ],
            },
          ],
        }),
    ],
  ])('is not joined by %s', async (_, read) => {
    const [before, source] = [await listBuiltIn(), await read(await hashBcrypt('a password of the file', { cost: 4 }))]
    const [{ username = '' } = {}] = source.users.map((user) => ({ username: user.username ?? '' }))
    expect(await importAll(source)).toMatchObject({ users: 1 })
    expect(source.report.notJoined).toContainEqual({
      kind: 'group',
      label: expect.stringContaining('Operators'),
      reason: 'the group Operators has Passport.Admin',
      users: 1,
    })
    expect(source.report.joins).toEqual([])
    expect(await listBuiltIn()).toEqual(before)
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name: username, password: 'a password of the file' })
    expect((await browser.send('/passport/admin/users')).status).toBe(403)
  })

  test('is not joined by a name that only the database folds to the same', async () => {
    const [before, groups] = [await listBuiltIn(), (await exportDocument(service.sql)).groups]
    const source = await csv('username,groups', 'timur,İSTANBUL', 'tarik,ISTANBUL')
    expect(await importAll(source)).toMatchObject({ users: 2, groups: 0 })
    expect(source.report.notJoined.map(({ reason }) => reason)).toContain('the group istanbul has Passport.Admin')
    expect(await groupsOf('timur')).toEqual([])
    expect(await listBuiltIn()).toEqual(before)
    expect((await exportDocument(service.sql)).groups).toEqual(groups)
  })

  test('is not joined if it gets the role while the import runs, nor by the run that continues', async () => {
    const id = await addGroup('Late', [])
    const read = () => readCsvFile(['username,groups', 'lara,Late', 'leon,Late'], 'late.csv')
    const running = applySource(service.sql, await read(), {
      confirmJoins: async () => {
        await setRoles(id, ['Passport.Admin'])
        return true
      },
    })
    await expect(running).rejects.toThrow(ConcurrentChangeError)
    expect(await groupsOf('lara')).toEqual([])
    const source = await read()
    expect(await importAll(source)).toMatchObject({ users: 2 })
    expect(source.report.notJoined).toMatchObject([{ label: 'Late', users: 2 }])
    expect(await rolesOf('lara')).toEqual([])
  })

  test('is not joined if it is created while the import runs', async () => {
    const source = await csv('username,groups,roles', 'nils,Newcomers,Stage.Editor')
    const running = applySource(service.sql, source, {
      confirmJoins: async () => {
        await addGroup('newcomers', ['Passport.Admin'])
        return true
      },
    })
    await expect(running).rejects.toThrow(ConcurrentChangeError)
    expect(await rolesOf('nils')).toEqual([])
  })

  test('is not joined by an import that was interrupted before the group had it', async () => {
    const { sql } = service
    const read = () => {
      const rows = Array.from({ length: 101 }, (_, index) => `paul${index},Pausing`)
      return readCsvFile(['username,groups', ...rows], 'pausing.csv')
    }
    const broken = await read()
    Object.defineProperty(broken.users[100], 'identities', {
      get: () => {
        throw new Error('interrupted')
      },
    })
    await expect(applySource(sql, broken)).rejects.toThrow('interrupted')
    const [group] = await sql<{ id: string }[]>`select id from groups where name = 'Pausing'`
    await setRoles(group?.id ?? '', ['Passport.Developer'])
    const source = await read()
    expect(await importAll(source)).toMatchObject({ users: 1, unchanged: 100 })
    expect(source.report.notJoined).toMatchObject([{ label: 'Pausing', users: 1 }])
    expect(await rolesOf('paul100')).toEqual([])
  })
})

test('a role of Passport itself is given to nobody, however the file spells it', async () => {
  const before = await listBuiltIn()
  const source = await csv(
    'username,roles',
    'rosa,Passport.Admin;Stage.Editor',
    'rudi,PASSPORT.Admin',
    'ruth,passport.admin;Ｐassport.Admin',
  )
  expect(await importAll(source)).toMatchObject({ users: 3, roles: 0 })
  const reason = "an import gives none of Passport's own roles"
  expect(source.report.notJoined).toEqual([
    { kind: 'role', label: 'Passport.Admin', reason, users: 1 },
    { kind: 'role', label: 'PASSPORT.Admin', reason, users: 1 },
  ])
  expect(source.report.entries).toContainEqual(
    expect.objectContaining({ outcome: 'dropped', field: 'roles', count: 1 }),
  )
  expect(await rolesOf('rosa')).toEqual(['Stage.Editor'])
  expect(await listBuiltIn()).toEqual(before)
})

describe('the records that an import joins', () => {
  const read = () =>
    readKeycloak(
      {
        realm: 'joining',
        roles: { realm: [{ name: 'stage-viewer' }, { name: 'crew' }] },
        groups: [{ name: 'editors' }, { name: 'New', realmRoles: ['stage-viewer', 'crew'] }],
        organizations: [{ name: 'Contoso Ltd', alias: 'contoso', members: [{ username: 'joe' }] }],
        users: [{ username: 'joe', groups: ['/editors', '/New'], realmRoles: ['stage-viewer'] }, { username: 'jil' }],
      },
      [],
    )
  const joins: Join[] = [
    {
      kind: 'role',
      id: 'StageViewer',
      name: 'StageViewer',
      label: 'stage-viewer',
      roles: [],
      users: 1,
      groups: 1,
    },
    {
      kind: 'organisation',
      id: expect.any(String),
      name: 'Contoso',
      label: 'Contoso Ltd',
      roles: [],
      users: 1,
      groups: 0,
    },
    {
      kind: 'group',
      id: expect.any(String),
      name: 'Editors',
      label: '/editors',
      roles: ['Stage.Editor'],
      users: 1,
      groups: 0,
    },
  ]

  test('are listed before anything is written, and not joined without a confirmation', async () => {
    const { sql } = service
    const before = await exportDocument(sql)
    const dryRun = read()
    await applySource(sql, dryRun, { isDryRun: true })
    expect(dryRun.report.joins).toEqual(joins)
    const listed: Join[][] = []
    const refused = applySource(sql, read(), { confirmJoins: (found) => listed.push(found) === 0 })
    await expect(refused).rejects.toThrow(JoinsNotConfirmed)
    await expect(applySource(sql, read())).rejects.toThrow(JoinsNotConfirmed)
    expect(listed).toEqual([joins])
    expect(await exportDocument(sql)).toEqual(before)
    expect((await store.list(sql)).map(({ source }) => source)).not.toContain('keycloak joining')
    expect(await sql`select from users where username in ('joe', 'jil')`).toHaveLength(0)
  })

  test('are joined as they are, and only again if users come', async () => {
    const { sql } = service
    const before = await exportDocument(sql)
    const { importId } = await importAll(read())
    expect(await groupsOf('joe')).toEqual(['Editors', 'New'])
    expect(await rolesOf('joe')).toEqual(['Crew', 'Stage.Editor', 'StageViewer'])
    const after = await exportDocument(sql)
    expect(after.groups).toEqual(expect.arrayContaining(before.groups ?? []))
    expect(after.orgs).toEqual(before.orgs)
    const [event] = await sql`
      select reason from audit_events where action = 'group.members-added' order by id desc limit 1`
    expect(event).toEqual({ reason: `import ${importId}` })
    const again = read()
    expect(await applySource(sql, again)).toMatchObject({ users: 0, unchanged: 2, importId: null })
    expect(again.report.joins).toEqual([])
  })
})

test('an organisation with the slug of another name is not joined', async () => {
  await ada.call(orgsApi.createOrg, { body: { name: 'Operations', slug: 'organisation' } })
  const source = await csv('username,organisations', 'mei,日本', 'mia,中国', 'mona,contoso;CONTOSO')
  expect(await importAll(source)).toMatchObject({ users: 3, organisations: 1 })
  const reason = 'the organisation organisation has the name Operations here'
  expect(source.report.notJoined).toEqual([{ kind: 'organisation', label: '日本', reason, users: 1 }])
  const members = await service.sql`
    select u.username, o.name from org_members m join users u on u.id = m.user_id join orgs o on o.id = m.org_id
    where u.username in ('mei', 'mia', 'mona') order by 1`
  expect([...members]).toEqual([
    { username: 'mia', name: '中国' },
    { username: 'mona', name: 'Contoso' },
  ])
})

test('an existing account gets no password, login, role or group of a user with its name', async () => {
  const { sql } = service
  const hash = await hashBcrypt('a password of the file', { cost: 4 })
  const [login] = await sql<{ subject: string }[]>`select subject from logins where user_id = ${ada.id}`
  const read = () => sql`
    select u.version::text, array(select l.issuer || l.subject from logins l where l.user_id = u.id) as logins,
      (select p.password_hash from directory_people p where p.name = 'ada') as hash
    from users u where u.id = ${ada.id}`
  const before = await read()
  const provider = { id: 'local', issuer: 'urn:passport:directory' }
  const source = await readCsvFile(
    [
      'id,username,email,groups,passwordHash,provider,subject',
      `1,Ada,,Editors,${hash},,`,
      `2,,ADA@passport.example,Editors,${hash},,`,
      // Its name to sign in with is free, and its identity is that of the account.
      `3,ada.two,,,${hash},local,${login?.subject}`,
      // As the name to sign in with, the email is taken by one who is not in the file.
      `4,,other@passport.example,,${hash},,`,
    ],
    'accounts.csv',
    [provider],
  )
  await sql`update directory_people set email = 'other@passport.example' where name = 'ada'`
  expect(await importAll(source)).toMatchObject({ users: 2 })
  expect(source.report.notImported.map(({ reason }) => reason)).toEqual([
    'line 2: the username is taken',
    'line 3: the email is taken',
  ])
  expect(source.report.withoutPassword).toMatchObject([{ user: 'other@passport.example' }])
  expect(await read()).toEqual(before)
})

describe('names that contain a separator', () => {
  test('do not join two roles, nor two groups, of Keycloak', async () => {
    const source = keycloak({
      roles: {
        realm: [{ name: 'desk.lead' }, { name: 'all', composites: { realm: ['desk.lead'] } }],
        client: { desk: [{ name: 'lead' }] },
      },
      groups: [
        { name: 'a/b', clientRoles: { desk: ['lead'] } },
        { name: 'a', subGroups: [{ name: 'b', realmRoles: ['desk.lead'] }, { name: 'c/d' }] },
      ],
      users: [
        { username: 'hans', realmRoles: ['all'], groups: ['/a/b', '/a/c~/d'] },
        { username: 'hugo', clientRoles: { desk: ['lead'] } },
      ],
    })
    await importAll(source)
    expect(await rolesOf('hans')).toEqual(['All', 'Desk.Lead'])
    expect(await rolesOf('hugo')).toEqual(['Desk.Lead2'])
    expect(await groupsOf('hans')).toEqual(['a / c/d'])
    const reason = 'two groups of the file have this path'
    expect(source.report.notJoined).toEqual([{ kind: 'group', label: '/a/b', reason, users: 1 }])
  })

  test('do not make one user of two, in a file or in two sources', async () => {
    const rows = ['id,username', 'karl,karl.one', ',karl', 'kim,kim.one']
    const source = await readCsvFile(rows, 'keys')
    expect(await importAll(source)).toMatchObject({ users: 2 })
    expect(source.report.notImported).toEqual([
      { user: 'karl', reason: 'line 3: an earlier user of the source has the same id or name' },
    ])
    const other = readKeycloak({ realm: 'keys', users: [{ id: 'kim', username: 'kim.two' }] }, [])
    expect(await importAll(other)).toMatchObject({ users: 1, unchanged: 0 })
  })
})

test('no file changes who has a role of Passport itself', async () => {
  const spellings = [
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    (name: string) => name.toLowerCase(),
    (name: string) => ` ${name}\u00a0`,
    (name: string) => name.normalize('NFD'),
    (name: string) => name.replaceAll('i', 'İ'),
    (name: string) => name.replaceAll(/[a-z]/gi, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
    (name: string) => name.replaceAll('.', ':'),
    (name: string) => name.replaceAll(' / ', '/'),
  ]
  const spelled = (...names: string[]) =>
    fc.tuple(fc.constantFrom(...names), fc.constantFrom(...spellings)).map(([name, spell]) => spell(name))
  const groups = spelled('Operators', 'Staff / Night', 'istanbul', 'Editors', 'Staff', 'Night', 'Late')
  const roles = spelled('Passport.Admin', 'Passport.Developer', 'Stage.Editor', 'Passport', 'stage-viewer')
  const orgs = spelled('Contoso', 'contoso', 'Operators')
  const user = fc.record({
    groups: fc.array(groups, { maxLength: 3 }),
    roles: fc.array(roles, { maxLength: 2 }),
    orgs: fc.array(orgs, { maxLength: 1 }),
  })
  const file = fc.record({
    users: fc.array(user, { minLength: 1, maxLength: 4 }),
    composite: fc.array(roles, { maxLength: 2 }),
    nested: fc.array(groups, { maxLength: 2 }),
    isKeycloak: fc.boolean(),
  })
  const name = (kind: string) => `${kind}.${++serial}`
  const toCsv = ({ users }: { users: { groups: string[]; roles: string[]; orgs: string[] }[] }) =>
    csv(
      'username,groups,roles,organisations',
      ...users.map(({ groups, roles, orgs }) =>
        [name('csv'), ...[groups, roles, orgs].map((all) => all.join(';'))].join(),
      ),
    )
  await fc.assert(
    fc.asyncProperty(file, async (generated) => {
      const { users, composite, nested, isKeycloak } = generated
      const [before, orgsBefore] = [await listBuiltIn(), await exportDocument(service.sql)]
      const all = [...new Set(users.flatMap(({ groups }) => groups))]
      const source = isKeycloak
        ? keycloak({
            roles: {
              realm: [...new Set([...composite, ...users.flatMap((each) => each.roles)])].map((role) => ({
                name: role,
                composites: { realm: composite },
              })),
            },
            groups: all.map((group) => ({
              name: group,
              realmRoles: composite,
              subGroups: nested.map((each) => ({ name: each })),
            })),
            users: users.map((each) => ({
              username: name('realm'),
              realmRoles: each.roles,
              groups: each.groups.flatMap((group) => [`/${group}`, ...nested.map((inner) => `/${group}/${inner}`)]),
            })),
          })
        : await toCsv(generated)
      expect(await importAll(source)).toMatchObject({ users: users.length })
      expect(await listBuiltIn()).toEqual(before)
      const { groups: after } = await exportDocument(service.sql)
      expect(after).toEqual(expect.arrayContaining(orgsBefore.groups ?? []))
    }),
    { numRuns: 15 },
  )
})
