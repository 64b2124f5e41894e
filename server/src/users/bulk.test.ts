import { createRole, deleteRole } from '@passport/contract/roles'
import * as api from '@passport/contract/user-bulk'
import * as users from '@passport/contract/users'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../http/caller.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { bulkChangeUsers } from './bulk.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let ada: Visitor
let max: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  max = await service.as('max')
})

type BulkRequest = Parameters<typeof bulk>[0]
const bulk = (
  body: { action: api.BulkAction; role?: string; ids?: string[]; query?: users.UserFilter; dryRun?: boolean },
  visitor = ada,
) => visitor.call(api.bulkChangeUsers, { body })
const undo = (undoToken: string | null, visitor = ada) =>
  visitor.call(api.undoBulkChange, { body: { undoToken: undoToken ?? '' } })

let batch = 0
/** Adds users who share a name that a filter can match. */
async function add(count: number) {
  const name = `batch${++batch}`
  const rows = await service.sql<{ id: string }[]>`
    insert into users (id, username, display_name, activated_at)
    select gen_random_uuid()::text, ${name} || '.' || n, ${`${name} `}::text || n, now() from generate_series(1, ${count}::integer) n
    returning id`
  return { name, ids: rows.map(({ id }) => id) }
}

/** Reads the states, roles and memberships of users. */
const readStates = (ids: string[]) => service.sql`
  select u.id, u.username, u.disabled_at is not null as disabled, u.deleted_at is not null as deleted,
    array(select role from role_members r where r.user_id = u.id order by 1) as roles,
    array(select group_id from group_members g where g.user_id = u.id order by 1) as member,
    array(select group_id from group_owners g where g.user_id = u.id order by 1) as owner,
    array(select org_id || role from org_members o where o.user_id = u.id order by 1) as orgs
  from users u where id = any(${ids}) order by id`

const listActors = async (ids: string[], action: string) =>
  (
    await service.sql`select actor_id as actor from audit_events where target_id = any(${ids}) and action = ${action}`
  ).map(({ actor }) => actor)

describe('a bulk change', () => {
  test('by ids audits each user, and its undo restores the previous state', async () => {
    const { ids } = await add(250)
    const before = await readStates(ids)
    const done = await bulk({ action: 'disable', ids })
    expect(done).toMatchObject({ done: 250, unchanged: 0, failed: [] })
    expect(Date.parse(done.undoUntil ?? '') - Date.now()).toBeGreaterThan(9.5 * 60 * 1000)
    expect((await readStates(ids)).every(({ disabled }) => disabled)).toBe(true)
    expect(await listActors(ids, 'user.disabled')).toEqual(Array(250).fill(ada.id))
    expect(await undo(done.undoToken)).toEqual({ done: 250, failed: [] })
    expect(await readStates(ids)).toEqual(before)
    expect(await listActors(ids, 'user.enabled')).toHaveLength(250)
  })

  test('by a filter changes every match', async () => {
    const { name, ids } = await add(120)
    await bulk({ action: 'disable', ids: ids.slice(0, 20) })
    const done = await bulk({ action: 'addRole', role: 'Passport.Developer', query: { query: name, status: 'active' } })
    expect(done).toMatchObject({ done: 100, unchanged: 0, failed: [] })
    const again = await bulk({ action: 'addRole', role: 'Passport.Developer', query: { query: name } })
    expect(again).toMatchObject({ done: 20, unchanged: 100, failed: [] })
    expect(await bulk({ action: 'enable', ids: ids.slice(20) })).toMatchObject({
      done: 0,
      unchanged: 100,
      undoToken: null,
    })
  })

  test('reports each user that could not be changed', async () => {
    const { ids } = await add(3)
    const result = await bulk({ action: 'disable', ids: [...ids, 'nobody', ada.id] })
    expect(result).toMatchObject({ done: 3, unchanged: 0 })
    expect(result.failed.sort((a, b) => (a.code < b.code ? -1 : 1))).toEqual([
      { id: ada.id, code: 'self-demotion' },
      { id: 'nobody', code: 'user-not-found' },
    ])
  })

  test('as a dry run changes nothing, and returns the roles that users would gain', async () => {
    const { ids } = await add(12)
    const before = await readStates(ids)
    const result = await bulk({ action: 'addRole', role: 'Passport.Admin', ids: [...ids, 'nobody'], dryRun: true })
    expect(result).toMatchObject({
      done: 12,
      unchanged: 0,
      failed: [{ id: 'nobody', code: 'user-not-found' }],
      undoToken: null,
    })
    expect(result.preview).toMatchObject({ gains: [{ role: 'Passport.Admin', people: 12 }], loses: [] })
    expect(result.preview?.gains[0]?.sample).toHaveLength(10)
    expect(await readStates(ids)).toEqual(before)
    expect(await listActors(ids, 'role.granted')).toEqual([])
  })

  test('signs users out, which cannot be undone', async () => {
    const eve = await service.as('eve')
    expect(await bulk({ action: 'signout', ids: [eve.id] })).toMatchObject({ done: 1, undoToken: null })
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
  })
})

describe('an invalid bulk change', () => {
  const bad: [string, unknown, string][] = [
    ['neither ids nor a query', { action: 'disable' }, 'ids'],
    ['both ids and a query', { action: 'disable', ids: ['a'], query: {} }, 'ids'],
    ['an empty list of ids', { action: 'disable', ids: [] }, 'ids'],
    ['more than 1,000 ids', { action: 'disable', ids: Array.from({ length: 1001 }, (_, index) => `x${index}`) }, 'ids'],
    ['an unknown action', { action: 'erase', ids: ['a'] }, 'action'],
    ['a role for an action that takes none', { action: 'disable', role: 'Passport.Admin', ids: ['a'] }, 'role'],
    ['no role for an action that requires one', { action: 'addRole', ids: ['a'] }, 'role'],
    ['an unknown role', { action: 'addRole', role: 'Nobody', ids: ['a'] }, 'role'],
    ['an unknown field', { action: 'disable', ids: ['a'], more: 1 }, 'body'],
    ['an unknown filter value', { action: 'disable', query: { status: 'gone' } }, 'query.status'],
  ]
  test.for(bad)('with %s is rejected with 400', async ([, body, field]) => {
    const response = await ada.fetch('/passport/admin/users/bulk', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ field }] })
  })

  test('with a filter that matches more than 10,000 users is rejected with 400', async () => {
    const { sql } = service
    await sql`
      insert into users (id, display_name) select 'crowd' || n, 'Crowd ' || n from generate_series(1, 10001) n`
    const call = bulk({ action: 'disable', query: { query: 'crowd' } })
    await expect(call).rejects.toMatchObject({ status: 400, body: { code: 'too-many' } })
    await sql`delete from users where id like 'crowd%'`
  })
})

test('a caller disabled during a bulk change cannot change further users', async () => {
  const { ids } = await add(3)
  const before = await readStates(ids)
  const caller = { id: max.id, roles: new Set(['Passport.Admin']), isAbsent: true } as unknown as Caller
  const visit = {
    ip: '127.0.0.1',
    userAgent: 'test',
    traceId: '0'.repeat(32),
    requestId: '0'.repeat(32),
    host: 'localhost',
  }
  await service.sql`update users set disabled_at = now() where id = ${max.id}`
  const changing = bulkChangeUsers(
    service.sql,
    ids,
    { action: 'disable', ids, dryRun: false, confirmSelfDemotion: false },
    { caller, visit, confirmSelfDemotion: false },
  )
  await expect(changing).rejects.toMatchObject({ status: 403, code: 'role-missing' })
  await service.sql`update users set disabled_at = null where id = ${max.id}`
  expect(await readStates(ids)).toEqual(before)
})

test('a bulk change that fails partway reports the completed part, the remaining users and an undo token', async () => {
  const { ids } = await add(250)
  const before = await readStates(ids)
  const failingId = ids.at(150) ?? ''
  await service.sql.unsafe(`
    create function fail_update() returns trigger language plpgsql as $$ begin
      if new.id = '${failingId}' then raise exception 'failed on purpose'; end if;
      return new;
    end $$;
    create trigger fail_update before update on users for each row execute function fail_update()`)
  const { done, unchanged, failed, undoToken, undoUntil } = await bulk({ action: 'disable', ids })
  await service.sql.unsafe('drop function fail_update cascade')
  expect({ done, unchanged, undoUntil }).toEqual({ done: 100, unchanged: 0, undoUntil: expect.any(String) })
  expect(failed).toEqual(ids.slice(100).map((id) => ({ id, code: 'internal-error' })))
  expect(await undo(undoToken)).toEqual({ done: 100, failed: [] })
  expect(await readStates(ids)).toEqual(before)
})

test('a bulk change that fails before any user is changed is a 500 response', async () => {
  const { ids } = await add(2)
  await service.sql.unsafe(`
    create function fail_update() returns trigger language plpgsql as $$ begin raise exception 'failed on purpose'; end $$;
    create trigger fail_update before update on users for each row execute function fail_update()`)
  const changing = bulk({ action: 'disable', ids })
  await expect(changing).rejects.toMatchObject({ status: 500, body: { code: 'internal-error' } })
  await service.sql.unsafe('drop function fail_update cascade')
})

describe('an undo', () => {
  test('skips and reports users who changed since', async () => {
    const { ids } = await add(4)
    const [changed = '', gone = ''] = ids
    const { undoToken } = await bulk({ action: 'addRole', role: 'Passport.Developer', ids })
    const params = { userId: changed }
    const user = await ada.call(users.getUser, { params })
    await ada.call(users.updateUser, { params, body: { ...user, displayname: 'Other' } })
    await ada.call(users.deleteUser, { query: {}, params: { userId: gone } })
    const { done, failed } = await undo(undoToken)
    expect(done).toBe(2)
    expect(failed.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))).toEqual([
      { id: changed, code: 'changed-since' },
      { id: gone, code: 'changed-since' },
    ])
    const again = await undo(undoToken)
    expect(again.done).toBe(0)
    expect(again.failed.map(({ code }) => code).sort()).toEqual([
      'already-undone',
      'already-undone',
      'changed-since',
      'changed-since',
    ])
  })

  test('is limited to the user who made the change, for ten minutes', async () => {
    const { ids } = await add(1)
    const { undoToken } = await bulk({ action: 'disable', ids })
    await expect(undo(undoToken, max)).rejects.toMatchObject({ status: 404, body: { code: 'undo-not-found' } })
    await expect(undo('nothing')).rejects.toMatchObject({ status: 404 })
    await service.sql`update user_undos set expires_at = now() - interval '1 second'`
    await expect(undo(undoToken)).rejects.toMatchObject({ status: 410, body: { code: 'undo-expired' } })
  })

  test('enables no user who was locked down since', async () => {
    const { ids } = await add(2)
    const { undoToken } = await bulk({ action: 'disable', ids })
    const [userId = '', other = ''] = ids
    await ada.call(users.lockDownUser, { query: {}, params: { userId } })
    expect(await undo(undoToken)).toEqual({ done: 1, failed: [{ id: userId, code: 'changed-since' }] })
    const states = await readStates([userId, other])
    expect(states.map(({ id, disabled }) => [id, disabled])).toEqual(
      expect.arrayContaining([
        [userId, true],
        [other, false],
      ]),
    )
  })

  test('gives no role that was created after the one that was removed', async () => {
    const { ids } = await add(1)
    const role = { name: 'Stage.Again', description: 'Created again' }
    const create = () => ada.call(createRole, { body: role })
    await create()
    await bulk({ action: 'addRole', role: role.name, ids })
    const { undoToken } = await bulk({ action: 'removeRole', role: role.name, ids })
    await ada.call(deleteRole, { params: { name: role.name }, query: {} })
    await create()
    await expect(undo(undoToken)).rejects.toMatchObject({ status: 404, body: { code: 'undo-not-found' } })
    expect(await readStates(ids)).toMatchObject([{ roles: [] }])
  })

  test('runs once when requested concurrently', async () => {
    const { ids } = await add(30)
    const { undoToken } = await bulk({ action: 'disable', ids })
    const responses = await Promise.all([undo(undoToken), undo(undoToken), undo(undoToken)])
    expect(responses.reduce((sum, { done }) => sum + done, 0)).toBe(30)
  })

  test('of any sequence of changes restores the previous state', async () => {
    const { ids } = await add(6)
    const { sql } = service
    await sql`insert into orgs (id, name, slug) values ('o', 'Org', 'org')`
    await sql`insert into groups (id, name) values ('g', 'Group')`
    await sql`insert into org_members (org_id, user_id, role) select 'o', unnest(${ids.slice(0, 3)}::text[]), 'admin'`
    await sql`insert into group_members (group_id, user_id) select 'g', unnest(${ids.slice(1, 4)}::text[])`
    await sql`insert into group_owners (group_id, user_id) select 'g', unnest(${ids.slice(2, 5)}::text[])`
    const actions = fc.constantFrom<BulkRequest>(
      { action: 'disable' },
      { action: 'enable' },
      { action: 'delete' },
      { action: 'restore' },
      { action: 'addRole', role: 'Passport.Developer' },
      { action: 'removeRole', role: 'Passport.Developer' },
    )
    await fc.assert(
      fc.asyncProperty(fc.subarray(ids, { minLength: 1 }), actions, async (subset, request) => {
        const before = await readStates(ids)
        const { undoToken, done, unchanged, failed } = await bulk({ ...request, ids: subset })
        expect(done + unchanged + failed.length).toBe(subset.length)
        if (undoToken !== null) expect(await undo(undoToken)).toEqual({ done, failed: [] })
        expect(await readStates(ids)).toEqual(before)
        // Later runs start from a different state.
        await bulk({ ...request, ids: subset })
      }),
      { numRuns: numRuns / 5 },
    )
  })
})
