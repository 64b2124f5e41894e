import { createGroup } from '@passport/contract/groups'
import * as api from '@passport/contract/user-imports'
import * as users from '@passport/contract/users'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { csvLine, unescapeCell } from '../http/csv.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { resumeImports, step } from './work.ts'

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})

const upload = (text: string, who = ada) => who.call(api.createUserImport, { body: text })
const read = (importId: string, who = ada) => who.call(api.getUserImport, { params: { importId } })
const untilIs = (importId: string, state: api.ImportState, who = ada) =>
  expect.poll(async () => (await read(importId, who)).state).toBe(state)
async function apply(importId: string, who = ada) {
  await who.call(api.applyUserImport, { params: { importId } })
  await untilIs(importId, 'applied', who)
  return read(importId, who)
}
async function takeBack(importId: string) {
  await ada.call(api.takeBackUserImport, { params: { importId } })
  await untilIs(importId, 'takenBack')
  return read(importId)
}
const exported = async (who = ada, query = '') => (await who.fetch(`/passport/admin/users/export${query}`)).text()
const rowsOf = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[]

let serial = 0
const fileOf = (count: number) => {
  const batch = ++serial
  const names = Array.from({ length: count }, (_, at) => `import${batch}.${at}`)
  return { names, text: `username,displayname\n${names.map((name) => `${name},Imported ${name}\n`).join('')}` }
}

describe('a cell', () => {
  test('that a spreadsheet would run is made text, and comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`'=+-@\t\r\n",a é`) }), (text) => {
        const [[cell = ''] = []] = parse(csvLine([text]), { relax_column_count: true }) as string[][]
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
        expect(unescapeCell(cell)).toBe(text)
      }),
    )
  })
})

describe('an export', () => {
  test('has the people of the filter, with what they have', async () => {
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
    expect(rowsOf(text)).toEqual([
      {
        id,
        username: 'export.it',
        displayname: `'=cmd|"x"`,
        email: 'export@example.com',
        emailVerified: 'true',
        disabled: 'false',
        roles: 'Passport.Developer',
        effectiveRoles: 'Passport.Developer',
        orgs: 'o1',
        status: 'invited',
        createdAt,
        lastSignInAt: '',
      },
    ])
    const [event] =
      await service.sql`select actor_id as actor, after from audit_events where action = 'users.exported' order by id desc limit 1`
    expect(event).toEqual({ actor: ada.id, after: { query: 'export.it', sort: 'name', direction: 'asc' } })
  })

  test('is whole however many there are, in the order that was asked for', async () => {
    await service.sql`
      insert into users (id, username, display_name) select 'e' || n, 'exported' || n, 'Exported ' || n from generate_series(1, 2345) n`
    const rows = rowsOf(await exported(ada, '?query=exported&direction=desc'))
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2345)
    const names = rows.map(({ displayname }) => displayname?.toLowerCase() ?? '')
    expect(names).toEqual(names.toSorted().reverse())
    await service.sql`delete from users where id like 'e%' and username like 'exported%'`
  })

  test('and its import into an empty place leave the same people', async () => {
    const [from, to] = await Promise.all([startTestService(), startTestService()])
    const [there, here] = await Promise.all([from.as('ada'), to.as('ada')])
    const people: Partial<users.NewUser>[] = [
      { displayname: 'Zoë, "the" Ångström', username: 'zoe', email: 'zoe@example.com', emailVerified: true },
      { displayname: `'=HYPERLINK("x")`, username: 'formula', roles: ['Passport.Developer', 'Passport.Admin'] },
      { displayname: '-1+1', email: 'minus@example.com' },
      { displayname: '@at', username: 'at-sign' },
      { displayname: '🦊 דני', email: 'fox@example.com' },
    ]
    for (const body of people) await there.call(users.createUser, { query: {}, body: body as users.NewUser })
    const { id } = (await there.call(users.listUsers, { query: { query: 'zoe' } })).items[0] ?? { id: '' }
    await there.call(users.disableUser, { query: {}, params: { userId: id } })
    const text = await exported(there)
    // The cast is in both.
    const checked = await upload(text, here)
    expect(checked.errors.every(({ code }) => code === 'email-taken')).toBe(true)
    expect(checked).toMatchObject({ state: 'checked', rows: 9, valid: 5, faulty: 4, added: 0 })
    expect(await apply(checked.importId, here)).toMatchObject({ added: 5, faulty: 4 })
    const told = (text: string) =>
      rowsOf(text).map(({ username, displayname, email, emailVerified, disabled, roles }) => ({
        username,
        displayname,
        email,
        emailVerified,
        disabled,
        roles,
      }))
    expect(told(await exported(here))).toEqual(told(text))
  })
})

describe('a file', () => {
  test('is checked row by row, and nobody is added by that', async () => {
    await ada.call(users.createUser, {
      query: {},
      body: { displayname: 'There', username: 'is.there', email: 'is.there@example.com' },
    })
    const checked = await upload(
      [
        '\ufeffUser name,display_name,E-mail,Email verified,disabled,roles,unknown',
        'fine.one,Fine One,fine@example.com,true,false,Passport.Developer,x',
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
      ].join('\n'),
    )
    expect(checked).toMatchObject({ state: 'checked', rows: 11, valid: 1, faulty: 10 })
    expect(checked.errors).toEqual([
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
    ])
    expect((await ada.call(users.listUsers, { query: { query: 'fine.one' } })).items).toEqual([])
    expect(await apply(checked.importId)).toMatchObject({ added: 1, valid: 1, faulty: 10 })
    const [fine] = (await ada.call(users.listUsers, { query: { query: 'fine.one' } })).items
    expect(fine).toMatchObject({
      displayname: 'Fine One',
      email: 'fine@example.com',
      emailVerified: true,
      roles: ['Passport.Developer'],
    })
  })

  test.for([
    ['nothing', ''],
    ['names of columns alone', 'username,displayname\n'],
    ['no column that is known', 'a,b\n1,2\n'],
    ['a column twice', 'username,User Name\na,b\n'],
    ['a quote that is not closed', 'username\n"abc\n'],
  ])('with %s is refused', async ([, text]) => {
    await expect(upload(text ?? '')).rejects.toMatchObject({ status: 400, body: { code: 'csv-invalid' } })
  })

  test('of another type, or too big, is refused', async () => {
    const send = (body: string, type: string) =>
      ada.fetch('/passport/admin/users/imports', { method: 'POST', body, headers: { 'content-type': type } })
    expect((await send('{}', 'application/json')).status).toBe(415)
    expect((await send('x'.repeat(api.maxImportBytes + 1), 'text/csv')).status).toBe(413)
  })

  test('whose names someone took meanwhile leaves them out', async () => {
    const { names, text } = fileOf(3)
    const { importId } = await upload(text)
    await ada.call(users.createUser, { query: {}, body: { displayname: 'Faster', username: names[1] ?? '' } })
    const applied = await apply(importId)
    expect(applied).toMatchObject({
      added: 2,
      faulty: 1,
      errors: [{ line: 3, column: 'username', code: 'username-taken' }],
    })
  })

  test('is applied once, and taken back once', async () => {
    const { importId } = await upload(fileOf(2).text)
    const post = (path: string) => ada.fetch(`/passport/admin/users/imports/${importId}/${path}`, { method: 'POST' })
    expect(await (await post('takeback')).json()).toMatchObject({ status: 409, code: 'import-state' })
    const answers = await Promise.all([post('apply'), post('apply')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await untilIs(importId, 'applied')
    expect((await post('apply')).status).toBe(409)
    await takeBack(importId)
    expect((await post('takeback')).status).toBe(409)
    expect((await ada.fetch('/passport/admin/users/imports/nothing')).status).toBe(404)
    expect((await ada.call(api.listUserImports, {})).find((one) => one.importId === importId)).toMatchObject({
      state: 'takenBack',
      added: 2,
    })
  })
})

describe('an import', () => {
  test('goes on where a process ended, and adds nobody twice', async () => {
    const { sql } = service
    const { importId } = await upload(fileOf(250).text)
    await sql`update user_imports set state = 'applying' where id = ${importId}`
    expect(await step(sql, importId)).toBe(true)
    expect(await read(importId)).toMatchObject({ state: 'applying', added: 100 })
    // Two processes that start anew.
    await Promise.all([resumeImports(sql), resumeImports(sql)])
    await resumeImports(sql)
    expect(await read(importId)).toMatchObject({ state: 'applied', added: 250, faulty: 0 })
    const events = await sql`
      select from audit_events where action = 'users.imported' and after ->> 'import' = ${importId}`
    expect(events).toHaveLength(1)
    const [people] = await sql`
      select count(*)::integer as people from users where id in (select user_id from user_import_rows where import_id = ${importId})`
    expect(people).toEqual({ people: 250 })
  })

  test('stops where whoever set it off is no administrator any more, and another may go on', async () => {
    const { sql } = service
    const max = await service.as('max')
    const { importId } = await upload(fileOf(150).text)
    await sql`update user_imports set state = 'applying', created_by = ${max.id} where id = ${importId}`
    expect(await step(sql, importId)).toBe(true)
    await sql`update users set disabled_at = now() where id = ${max.id}`
    await resumeImports(sql)
    expect(await read(importId)).toMatchObject({ state: 'checked', added: 100, faulty: 0 })
    const stopped = await sql`
      select actor_id, reason from audit_events where action = 'users.import-stopped' and after ->> 'import' = ${importId}`
    expect([...stopped]).toEqual([{ actorId: null, reason: 'starter-not-administrator' }])
    await sql`update users set disabled_at = null where id = ${max.id}`
    expect(await apply(importId)).toMatchObject({ state: 'applied', added: 150 })
  })

  test('is taken back, but for who changed since or came in', async () => {
    const { names, text } = fileOf(5)
    const { importId } = await upload(text)
    await apply(importId)
    const idOf = async (name = '') => (await ada.call(users.listUsers, { query: { query: name } })).items[0]?.id ?? ''
    await ada.call(users.updateUser, { params: { userId: await idOf(names[0]) }, body: { displayname: 'Changed' } })
    await service.sql`update users set last_sign_in_at = now() where username = ${names[1] ?? ''}`
    const body = { name: crypto.randomUUID(), members: [await idOf(names[4])] }
    await ada.call(createGroup, { body })
    const taken = await takeBack(importId)
    expect(taken).toMatchObject({ added: 5, takenBack: 2 })
    expect(taken.errors).toEqual([
      { line: 2, column: null, code: 'changed-since' },
      { line: 3, column: null, code: 'changed-since' },
      { line: 6, column: null, code: 'changed-since' },
    ])
    expect(await Promise.all(names.map(async (name) => (await idOf(name)) !== ''))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
  })
})
