import { addGroupMembers, createGroup, putGroupRoles, removeGroupMembers } from '@passport/contract/groups'
import { createRole } from '@passport/contract/roles'
import { disableUser, enableUser, setUserRoles } from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { expect, test } from 'vitest'
import { createTenant, startEntraService } from '../entra/test-entra.ts'
import { executeAsSuperuser } from '../test-service.ts'
import { createTestClient, newUser, patch } from './test-client.ts'

const entra = await startEntraService({ tenants: [createTenant(1)] })
const { ada, service } = entra
const { sql } = service
const client = await createTestClient(entra, 'company-1.example')

/** Returns how many deadlocks PostgreSQL has resolved. A backend reports its own when it ends. */
async function countDeadlocks(): Promise<number> {
  const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`
  await executeAsSuperuser(
    'postgres',
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
  )
  const read = async () =>
    (
      await sql<{ deadlocks: number }[]>`
      select deadlocks::integer from pg_stat_database where datname = current_database()`
    )[0]?.deadlocks
  await expect.poll(read).toBeDefined()
  return (await read()) ?? 0
}

test('changes by SCIM and changes of roles at the same time never wait for each other', async () => {
  const ids: string[] = []
  for (let index = 0; index < 4; index++)
    ids.push((await client.send('POST', 'Users', newUser(`user-${index}@company-1.example`))).body.id)
  await ada.call(createRole, { body: { name: 'Stage.Editor', description: 'Edits stages' } })
  const { body: provisioned } = await client.send('POST', 'Groups', { displayName: 'Crew', externalId: guidOf('Crew') })
  const groupId = provisioned.id
  await ada.call(putGroupRoles, { params: { groupId }, query: {}, body: { roles: ['Stage.Editor'] } })
  const own = await ada.call(createGroup, { body: { name: 'Own', orgId: client.orgId } })
  const setActive = (id: string, active: boolean) =>
    client.send('PATCH', `Users/${id}`, patch({ op: 'Replace', path: 'active', value: active }))
  const members = (op: string) => patch({ op, path: 'members', value: ids.map((value) => ({ value })) })
  const toleratingConflicts = (work: Promise<unknown>) => work.catch(() => {})

  const changeByScim = async (id: string) => {
    await setActive(id, false)
    await setActive(id, true)
    await client.send('DELETE', `Users/${id}`)
    await client.send('POST', 'Users', newUser(`user-${ids.indexOf(id)}@company-1.example`))
  }
  const changeRolesOf = async (id: string) => {
    const params = { userId: id }
    await toleratingConflicts(ada.call(setUserRoles, { params, query: {}, body: { roles: ['Stage.Editor'] } }))
    await toleratingConflicts(ada.call(disableUser, { params, query: {} }))
    await toleratingConflicts(ada.call(enableUser, { params, query: {} }))
    await toleratingConflicts(ada.call(setUserRoles, { params, query: {}, body: { roles: [] } }))
  }
  const changeMembersByScim = async () => {
    await client.send('PATCH', `Groups/${groupId}`, members('Add'))
    await client.send('PATCH', `Groups/${groupId}`, members('Remove'))
  }
  const changeMembersByHand = async () => {
    for (const id of [groupId, own.id]) {
      const change = { params: { groupId: id }, query: {}, body: { members: ids } }
      await toleratingConflicts(ada.call(addGroupMembers, change))
      await toleratingConflicts(ada.call(removeGroupMembers, change))
    }
  }
  for (let round = 0; round < 2; round++)
    await Promise.all([
      ...ids.map(changeByScim),
      ...ids.map(changeRolesOf),
      changeMembersByScim(),
      changeMembersByHand(),
    ])
  expect(await countDeadlocks()).toBe(0)
}, 180_000)
