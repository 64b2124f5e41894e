import { formatCsvLine, unescapeCell } from '@passport/contract/csv'
import { createGroup } from '@passport/contract/groups'
import { createRole } from '@passport/contract/roles'
import * as api from '@passport/contract/user-imports'
import * as users from '@passport/contract/users'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { processNextRows, resumeImports } from './run-import.ts'

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})

const upload = (text: string, visitor = ada) => visitor.call(api.createUserImport, { body: text })
const read = (importId: string, visitor = ada) => visitor.call(api.getUserImport, { params: { importId } })
const waitForState = (importId: string, state: api.ImportState, visitor = ada) =>
  expect.poll(async () => (await read(importId, visitor)).state).toBe(state)
async function apply(importId: string, visitor = ada) {
  await visitor.call(api.applyUserImport, { params: { importId } })
  await waitForState(importId, 'applied', visitor)
  return read(importId, visitor)
}
async function undoImport(importId: string) {
  await ada.call(api.undoUserImport, { params: { importId } })
  await waitForState(importId, 'takenBack')
  return read(importId)
}
const exportCsv = async (visitor = ada, query = '') =>
  (await visitor.fetch(`/passport/admin/users/export${query}`)).text()
const parseRows = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[]

let serial = 0
const createFile = (count: number) => {
  const batch = ++serial
  const names = Array.from({ length: count }, (_, index) => `import${batch}.${index}`)
  return { names, text: `username,displayname\n${names.map((name) => `${name},Imported ${name}\n`).join('')}` }
}

describe('a cell', () => {
  test('with a spreadsheet formula is escaped, and unescaping restores it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`'=+-@＝＠ \t\r\n",a é`) }), (text) => {
        const [[cell = ''] = []] = parse(formatCsvLine([text]), { relax_column_count: true }) as string[][]
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
        expect(unescapeCell(cell)).toBe(text)
      }),
    )
  })
})

describe('an export', () => {
  test('contains the users that match the filter, with their attributes', async () => {
    const body = {
      displayname: '=cmd|"x"',
      username: 'export.it',
      email: 'export@example.com',
      emailVerified: true,
      roles: ['Passport.Developer'],
    }
    const { id, createdAt } = await ada.call(users.createUser, { query: {}, body })
    await service.sql`insert into orgs (id, name, slug) values ('o1', 'Org', 'org')`
    await service.sql`insert into org_members (org_id, user_id, role) values ('o1', ${id}, 'member')`
    const response = await ada.fetch('/passport/admin/users/export?query=export.it')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="users-\d{4}-\d\d-\d\d\.csv"$/)
    const text = await response.text()
    expect(text.split('\r\n')[0]).toBe(api.exportColumns.join(','))
    expect(parseRows(text)).toEqual([
      {
        id,
        username: 'export.it',
        displayname: `'=cmd|"x"`,
        email: 'export@example.com',
        emailVerified: 'true',
        disabled: 'false',
        roles: 'Passport.Developer',
        effectiveRoles: 'Passport.Developer',
        organisations: 'org',
        emailVerifiedBy: '',
        status: 'invited',
        createdAt,
        lastSignInAt: '',
      },
    ])
    const [event] =
      await service.sql`select actor_id as actor, after from audit_events where action = 'users.exported' order by id desc limit 1`
    expect(event).toEqual({ actor: ada.id, after: { query: 'export.it', sort: 'name', direction: 'asc' } })
  })

  test('of 2,345 users contains each of them once, in the requested order', async () => {
    await service.sql`
      insert into users (id, username, display_name) select 'e' || n, 'exported' || n, 'Exported ' || n from generate_series(1, 2345) n`
    const rows = parseRows(await exportCsv(ada, '?query=exported&direction=desc'))
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2345)
    const names = rows.map(({ displayname }) => displayname?.toLowerCase() ?? '')
    expect(names).toEqual(names.toSorted().reverse())
    await service.sql`delete from users where id like 'e%' and username like 'exported%'`
  })

  test('restores the same users when imported into another installation', async () => {
    const [from, to] = await Promise.all([startTestService(), startTestService()])
    const [sourceAdmin, targetAdmin] = await Promise.all([from.as('ada'), to.as('ada')])
    for (const admin of [sourceAdmin, targetAdmin])
      await admin.call(createRole, { body: { name: 'Desk.Agent', description: 'Answers requests' } })
    const newUsers: Partial<users.NewUser>[] = [
      { displayname: 'Zoë, "the" Ångström', username: 'zoe', email: 'zoe@example.com', emailVerified: true },
      { displayname: `'=HYPERLINK("x")`, username: 'formula', roles: ['Desk.Agent'] },
      { displayname: '-1+1', email: 'minus@example.com' },
      { displayname: '@at', username: 'at-sign' },
      { displayname: '🦊 דני', email: 'fox@example.com' },
    ]
    for (const body of newUsers) await sourceAdmin.call(users.createUser, { query: {}, body: body as users.NewUser })
    const { id } = (await sourceAdmin.call(users.listUsers, { query: { query: 'zoe' } })).items[0] ?? { id: '' }
    await sourceAdmin.call(users.disableUser, { query: {}, params: { userId: id } })
    const text = await exportCsv(sourceAdmin)
    // Both installations have the demo users, of whom three have roles of Passport itself.
    const checked = await upload(text, targetAdmin)
    const codes = Map.groupBy(checked.errors, ({ line }) => line)
    expect([...codes.values()].map((errors) => errors.some(({ code }) => code === 'role-built-in')).sort()).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect([...codes.values()].every((errors) => errors.some(({ code }) => code === 'username-taken'))).toBe(true)
    expect(checked).toMatchObject({ state: 'checked', rows: 9, valid: 5, faulty: 4, added: 0 })
    expect(await apply(checked.importId, targetAdmin)).toMatchObject({ added: 5, faulty: 4 })
    const comparable = (text: string) =>
      parseRows(text).map(({ username, displayname, email, emailVerified, disabled, roles }) => ({
        username,
        displayname,
        email,
        emailVerified,
        disabled,
        roles,
      }))
    expect(comparable(await exportCsv(targetAdmin))).toEqual(comparable(text))
  })
})

describe('a file', () => {
  beforeAll(() => ada.call(createRole, { body: { name: 'Desk.Agent', description: 'Answers requests' } }))

  test('is checked row by row, and adds no users until it is applied', async () => {
    await ada.call(users.createUser, {
      query: {},
      body: { displayname: 'There', username: 'is.there', email: 'is.there@example.com' },
    })
    const checked = await upload(
      [
        '\ufeffUser name,display_name,E-mail,Email verified,disabled,roles,unknown',
        'fine.one,Fine One,fine@example.com,true,false,Desk.Agent,x',
        'a b,Bad Name,,,,,',
        'good.name,"Two\nLines",,,,,',
        'next.one,Next,not an address,,,,',
        'fourth,Fourth,,maybe,,,',
        'is.there,Taken,,,,,',
        ',Taken,IS.THERE@example.com,,,,',
        'FINE.ONE,Twice in the file,,,,,',
        'fifth,Fifth,,,,Nobody,',
        ',,,,,,',
        'short,Short',
        'sixth,Sixth,,,,Desk.Agent Passport.Admin,',
      ].join('\n'),
    )
    expect(checked).toMatchObject({ state: 'checked', rows: 12, valid: 1, faulty: 11 })
    expect(checked.roles).toEqual([{ name: 'Desk.Agent', users: 1 }])
    expect(checked.errors[0]).toEqual({
      line: 3,
      column: 'username',
      header: 'User name',
      code: 'username-invalid',
      value: 'a b',
    })
    expect(checked.errors.map(({ line, column, code }) => ({ line, column, code }))).toEqual([
      { line: 3, column: 'username', code: 'username-invalid' },
      { line: 4, column: 'displayname', code: 'displayname-invalid' },
      { line: 6, column: 'email', code: 'email-invalid' },
      { line: 7, column: 'emailVerified', code: 'true-or-false' },
      { line: 8, column: 'username', code: 'username-taken' },
      { line: 9, column: 'email', code: 'email-taken' },
      { line: 10, column: 'username', code: 'username-taken' },
      { line: 11, column: 'roles', code: 'role-not-found' },
      { line: 12, column: null, code: 'nobody' },
      { line: 13, column: null, code: 'cells-missing' },
      { line: 14, column: 'roles', code: 'role-built-in' },
    ])
    expect((await ada.call(users.listUsers, { query: { query: 'fine.one' } })).items).toEqual([])
    const applied = await apply(checked.importId)
    expect(applied).toMatchObject({ added: 1, valid: 1, faulty: 11 })
    expect(applied).not.toHaveProperty('roles')
    const [valid] = (await ada.call(users.listUsers, { query: { query: 'fine.one' } })).items
    expect(valid).toMatchObject({
      displayname: 'Fine One',
      email: 'fine@example.com',
      emailVerified: true,
      roles: ['Desk.Agent'],
    })
  })

  test.for([
    ['no content', ''],
    ['a header but no rows', 'username,displayname\n'],
    ['no known column', 'a,b\n1,2\n'],
    ['a duplicate column', 'username,User Name\na,b\n'],
    ['an unclosed quote', 'username\n"abc\n'],
    ['more than 200,000 lines', `username\n${'a\n'.repeat(200_000)}`],
    ['more than 200,000 lines', `username\n${'a\r'.repeat(200_000)}`],
    ['more than 1,000 cells in a line', `username${','.repeat(1001)}\na\n`],
    ['a row of more than 64 KiB', `username\n${'x'.repeat(65 * 1024)}\n`],
  ])('with %s is rejected', async ([, text]) => {
    await expect(upload(text ?? '')).rejects.toMatchObject({ status: 400, body: { code: 'csv-invalid' } })
  })

  test('of another media type or above the size limit is rejected', async () => {
    const send = (body: string, type: string) =>
      ada.fetch('/passport/admin/users/imports', { method: 'POST', body, headers: { 'content-type': type } })
    expect((await send('{}', 'application/json')).status).toBe(415)
    expect((await send('x'.repeat(api.maxImportBytes + 1), 'text/csv')).status).toBe(413)
  })

  test('adds no user whose username was taken after the check', async () => {
    const { names, text } = createFile(3)
    const { importId } = await upload(text)
    await ada.call(users.createUser, { query: {}, body: { displayname: 'Faster', username: names[1] ?? '' } })
    const applied = await apply(importId)
    expect(applied).toMatchObject({
      added: 2,
      faulty: 1,
      errors: [{ line: 3, column: 'username', header: null, code: 'username-taken', value: null }],
    })
  })

  test.each(['Passport.Admin', 'Passport.Developer'])('that was checked with %s gives it to nobody', async (role) => {
    const { names, text } = createFile(2)
    const { importId } = await upload(text)
    // As an earlier version stored it.
    await service.sql`
      update user_import_rows set person = person || ${service.sql.json({ roles: ['Desk.Agent', role] })}
      where import_id = ${importId} and line = 2`
    expect(await apply(importId)).toMatchObject({
      added: 1,
      errors: [{ line: 2, column: 'roles', header: null, code: 'role-built-in', value: null }],
    })
    const found = await service.sql`select username from users where username = any(${names})`
    expect(found.map(({ username }) => username)).toEqual([names[1]])
  })

  test('is applied once and undone once', async () => {
    const { importId } = await upload(createFile(2).text)
    const post = (path: string) => ada.fetch(`/passport/admin/users/imports/${importId}/${path}`, { method: 'POST' })
    expect(await (await post('takeback')).json()).toMatchObject({ status: 409, code: 'import-state' })
    const responses = await Promise.all([post('apply'), post('apply')])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    await waitForState(importId, 'applied')
    expect((await post('apply')).status).toBe(409)
    await undoImport(importId)
    expect((await post('takeback')).status).toBe(409)
    expect((await ada.fetch('/passport/admin/users/imports/nothing')).status).toBe(404)
    expect((await ada.call(api.listUserImports, {})).find((item) => item.importId === importId)).toMatchObject({
      state: 'takenBack',
      added: 2,
    })
  })
})

describe('an import', () => {
  test('resumes after a process stops, without adding duplicates', async () => {
    const { sql } = service
    const { importId } = await upload(createFile(250).text)
    await sql`update user_imports set state = 'applying' where id = ${importId}`
    expect(await processNextRows(sql, importId)).toBe(true)
    expect(await read(importId)).toMatchObject({ state: 'applying', added: 100 })
    // Two processes resume the import at the same time, and one later.
    await Promise.all([resumeImports(sql), resumeImports(sql)])
    await resumeImports(sql)
    expect(await read(importId)).toMatchObject({ state: 'applied', added: 250, faulty: 0 })
    const events = await sql`
      select from audit_events where action = 'users.imported' and after ->> 'import' = ${importId}`
    expect(events).toHaveLength(1)
    const [added] = await sql`
      select count(*)::integer as count from users where id in (select user_id from user_import_rows where import_id = ${importId})`
    expect(added).toEqual({ count: 250 })
  })

  test('stops when the administrator who started it is disabled, and another one may continue it', async () => {
    const { sql } = service
    const max = await service.as('max')
    const { importId } = await upload(createFile(150).text)
    await sql`update user_imports set state = 'applying', created_by = ${max.id} where id = ${importId}`
    expect(await processNextRows(sql, importId)).toBe(true)
    await sql`update users set disabled_at = now() where id = ${max.id}`
    await resumeImports(sql)
    expect(await read(importId)).toMatchObject({ state: 'checked', added: 100, faulty: 0 })
    const stopped = await sql`
      select actor_id, reason from audit_events where action = 'users.import-stopped' and after ->> 'import' = ${importId}`
    expect([...stopped]).toEqual([{ actorId: null, reason: 'starter-not-administrator' }])
    await sql`update users set disabled_at = null where id = ${max.id}`
    expect(await apply(importId)).toMatchObject({ state: 'applied', added: 150 })
  })

  test('is undone except for users changed, signed in or added to a group since', async () => {
    const { names, text } = createFile(5)
    const { importId } = await upload(text)
    await apply(importId)
    const findId = async (name = '') => (await ada.call(users.listUsers, { query: { query: name } })).items[0]?.id ?? ''
    const params = { userId: await findId(names[0]) }
    const user = await ada.call(users.getUser, { params })
    await ada.call(users.updateUser, { params, body: { ...user, displayname: 'Changed' } })
    await service.sql`update users set last_sign_in_at = now() where username = ${names[1] ?? ''}`
    const body = { name: crypto.randomUUID(), members: [await findId(names[4])] }
    await ada.call(createGroup, { body })
    const undone = await undoImport(importId)
    expect(undone).toMatchObject({ added: 5, takenBack: 2 })
    expect(undone.errors.map(({ line, code }) => [line, code])).toEqual(
      [2, 3, 6].map((line) => [line, 'changed-since']),
    )
    expect(await Promise.all(names.map(async (name) => (await findId(name)) !== ''))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
  })
})
