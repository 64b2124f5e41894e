import { beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { DryRunRollback } from '../http/dry-run-rollback.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { changeRoles } from './change.ts'
import * as store from './store.ts'

let service: TestService
let ids: Record<'ada' | 'max' | 'dev' | 'eve', string>

beforeAll(async () => {
  service = await startTestService()
  const visitors = await Promise.all((['ada', 'max', 'dev', 'eve'] as const).map((name) => service.as(name)))
  const [ada, max, dev, eve] = visitors.map(({ id }) => id) as [string, string, string, string]
  ids = { ada, max, dev, eve }
})

const createCaller = (id: string, ...roles: string[]) =>
  ({ id, roles: new Set(roles), isAbsent: true }) as unknown as Caller
const admin = () => createCaller(ids.ada, 'Passport.Admin')
const grant = (role: string, id: string) => (sql: Sql) => store.grant(sql, role, id)
const revoke = (role: string, id: string) => (sql: Sql) => store.revoke(sql, role, id)

/** Adds a group with roles and members. */
async function addGroup(roles: string[], members: string[]) {
  const id = crypto.randomUUID()
  const { sql } = service
  await sql`insert into groups (id, name) values (${id}, ${id})`
  for (const role of roles) await sql`insert into group_roles (group_id, role) values (${id}, ${role})`
  for (const member of members) await sql`insert into group_members (group_id, user_id) values (${id}, ${member})`
  return id
}

describe('a change of roles', () => {
  test('is written, and its preview is not', async () => {
    const preview = changeRoles(
      service.sql,
      { caller: admin(), preview: true },
      [ids.eve],
      grant('Passport.Admin', ids.eve),
    )
    await expect(preview).rejects.toBeInstanceOf(DryRunRollback)
    await expect(preview).rejects.toMatchObject({
      effect: {
        gains: [{ role: 'Passport.Admin', people: 1, sample: [{ id: ids.eve, name: 'Eve Moreau' }] }],
        loses: [],
      },
    })
    expect(await store.listNames(service.sql, ids.eve)).toEqual([])
    await changeRoles(service.sql, { caller: admin() }, [ids.eve], grant('Passport.Developer', ids.eve))
    expect(await store.listNames(service.sql, ids.eve)).toEqual(['Passport.Developer'])
    await changeRoles(service.sql, { caller: admin() }, [ids.eve], revoke('Passport.Developer', ids.eve))
    expect(await store.listNames(service.sql, ids.eve)).toEqual([])
  })

  test('is rejected if the caller may not grant a gained role, even through a group', async () => {
    const owner = createCaller(ids.dev, 'Passport.Developer')
    const group = await addGroup(['Passport.Admin'], [])
    const join = (sql: Sql) => sql`insert into group_members (group_id, user_id) values (${group}, ${ids.eve})`
    const rejected = { status: 403, code: 'role-not-yours-to-give' }
    await expect(changeRoles(service.sql, { caller: owner }, [ids.eve], join)).rejects.toMatchObject(rejected)
    await expect(changeRoles(service.sql, { caller: owner, preview: true }, [ids.eve], join)).rejects.toMatchObject(
      rejected,
    )
    expect(await store.listNames(service.sql, ids.eve)).toEqual([])
  })

  test('reports no gain if another group grants the role already', async () => {
    await addGroup(['Passport.Developer'], [ids.eve])
    const second = changeRoles(
      service.sql,
      { caller: admin(), preview: true },
      [ids.eve],
      grant('Passport.Developer', ids.eve),
    )
    await expect(second).rejects.toMatchObject({ effect: { gains: [], loses: [] } })
    await service.sql`delete from group_members where user_id = ${ids.eve}`
  })

  test('that ends the caller’s own administration needs a confirmation', async () => {
    const demote = revoke('Passport.Admin', ids.ada)
    const rejected = { status: 409, code: 'self-demotion' }
    await expect(changeRoles(service.sql, { caller: admin() }, [ids.ada], demote)).rejects.toMatchObject(rejected)
    const disable = (sql: Sql) => sql`update users set disabled_at = now() where id = ${ids.ada}`
    await expect(changeRoles(service.sql, { caller: admin() }, [ids.ada], disable)).rejects.toMatchObject(rejected)
    await changeRoles(service.sql, { caller: admin(), confirmSelfDemotion: true }, [ids.ada], demote)
    await store.grant(service.sql, 'Passport.Admin', ids.ada)
  })

  test('by an administrator who was disabled while waiting is rejected, even without gains', async () => {
    const { sql } = service
    const former = createCaller(ids.max, 'Passport.Admin')
    const noChange = async () => {}
    const rejected = { status: 403, code: 'role-missing' }
    await sql`update users set disabled_at = now() where id = ${ids.max}`
    await expect(changeRoles(sql, { caller: former }, [ids.eve], noChange)).rejects.toMatchObject(rejected)
    await sql`update users set disabled_at = null where id = ${ids.max}`
    await changeRoles(sql, { caller: former }, [ids.eve], noChange)
    await changeRoles(sql, { caller: admin() }, [ids.max], revoke('Passport.Admin', ids.max))
    await expect(changeRoles(sql, { caller: former }, [ids.eve], noChange)).rejects.toMatchObject(rejected)
    await store.grant(sql, 'Passport.Admin', ids.max)
  })

  test('proceeds if there was no active administrator before', async () => {
    const { sql } = service
    await sql`update users set disabled_at = now() where id = any(${[ids.ada, ids.max]})`
    await changeRoles(sql, { caller: createCaller(ids.eve) }, [ids.eve], async () => {})
    await sql`update users set disabled_at = null where id = any(${[ids.ada, ids.max]})`
  })

  test('never removes the last administrator, even by concurrent calls', async () => {
    const admins = [ids.ada, ids.max]
    const demotions = admins.map((id) =>
      changeRoles(
        service.sql,
        { caller: createCaller(id, 'Passport.Admin'), confirmSelfDemotion: true },
        [id],
        revoke('Passport.Admin', id),
      ),
    )
    const settled = await Promise.allSettled(demotions)
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const rejected = settled.find((result): result is PromiseRejectedResult => result.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ status: 409, code: 'last-admin' })
    for (const id of admins) await store.grant(service.sql, 'Passport.Admin', id)
  })

  test('does not count disabled or deleted users or users without a login as administrators', async () => {
    const { sql } = service
    const id = crypto.randomUUID()
    await sql`insert into users (id, username) values (${id}, ${id})`
    await store.grant(sql, 'Passport.Admin', id)
    expect(await store.readAdministratorState(sql, id)).toEqual({ hasAdministrator: true, includesUser: false })
    await sql`update users set activated_at = now() where id = ${id}`
    expect(await store.readAdministratorState(sql, id)).toMatchObject({ includesUser: false })
    await sql`
      insert into logins (id, user_id, provider_id, issuer, subject, label) values (${id}, ${id}, 'p', 'i', ${id}, 'l')`
    expect(await store.readAdministratorState(sql, id)).toMatchObject({ includesUser: true })
    await sql`update users set deleted_at = now() where id = ${id}`
    expect(await store.readAdministratorState(sql, id)).toMatchObject({ includesUser: false })
  })
})
