import { type AuditEntry, type AuditFilter, listAuditEntries } from '@passport/contract/audit'
import { createGroup, putGroupRoles } from '@passport/contract/groups'
import { addRoleMembers, createRole, putRole, removeRoleMembers } from '@passport/contract/roles'
import { bulkChangeUsers } from '@passport/contract/user-bulk'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let eve: Visitor
/** The statements sent, and their query plans. */
const recorded = { statements: [] as string[], plans: [] as PlanNode[] }
interface PlanNode {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

beforeAll(async () => {
  service = await startTestService(
    {},
    {
      settings: {
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': '0',
        'auto_explain.log_analyze': 'on',
        'auto_explain.log_timing': 'off',
        'auto_explain.log_format': 'json',
        'auto_explain.log_level': 'notice',
      },
      onStatement: (text) => recorded.statements.push(text),
      onNotice: (message) => {
        const [, plan] = /plan:\n(\{[\s\S]*)/.exec(message) ?? []
        if (plan) recorded.plans.push((JSON.parse(plan) as { Plan: PlanNode }).Plan)
      },
    },
  )
  ada = await service.as('ada')
  eve = await service.as('eve')
})

const list = async (query: Partial<AuditFilter & { limit: number }> = {}) =>
  (await ada.call(listAuditEntries, { query })).items
const actionsOf = (items: AuditEntry[]) => items.map(({ action }) => action)

test('lists the changes, grants and removals of a role, for users and groups', async () => {
  const [role, otherRole] = ['Stage.Editor', 'Stage.Viewer']
  const { call } = ada
  for (const name of [role, otherRole]) await call(createRole, { body: { name, description: name } })
  const eveOnly = { query: {}, body: { members: [eve.id] } }
  await call(addRoleMembers, { params: { name: role }, ...eveOnly })
  await call(addRoleMembers, { params: { name: otherRole }, ...eveOnly })
  await call(removeRoleMembers, { params: { name: role }, ...eveOnly })
  await call(bulkChangeUsers, { body: { action: 'addRole', role, ids: [eve.id] } })
  const group = await call(createGroup, { body: { name: 'Editors' } })
  const setRoles = (roles: string[]) =>
    call(putGroupRoles, { params: { groupId: group.id }, query: {}, body: { roles } })
  await setRoles([otherRole])
  await setRoles([role, otherRole])
  await setRoles([role])
  await call(putRole, { params: { name: role }, body: { description: 'Edits.' } })
  const all = await list({ role })
  expect(actionsOf(all)).toEqual([
    'role.changed',
    'group.roles-changed',
    'role.granted',
    'role.taken',
    'role.granted',
    'role.created',
  ])
  expect(all[2]).toMatchObject({ target: { kind: 'user', id: eve.id, name: 'Eve Moreau' }, after: { role } })
  expect(actionsOf(await list({ role, action: 'role.granted', actor: ada.id, target: `user:${eve.id}` }))).toHaveLength(
    2,
  )
  expect(await list({ role, from: '2999-01-01T00:00:00Z' })).toEqual([])
  expect(actionsOf(await list({ role: otherRole }))).toHaveLength(4)
  const first = await call(listAuditEntries, { query: { role, limit: 4 } })
  const second = (await (await ada.fetch(first.next ?? '')).json()) as { items: AuditEntry[]; next: string | null }
  expect([...first.items, ...second.items]).toEqual(all)
  expect(second.next).toBeNull()
})

test('reads a role with many events by its index, and no further than the page', async () => {
  const { sql } = service
  await sql`
    insert into audit_events (id, at, action, target_kind, target_id, after)
    select 'many-' || n, now() - make_interval(secs => n), 'role.granted', 'user', ${eve.id},
      jsonb_build_object('role', case when n % 2 = 0 then 'Many.Have' else 'Few.Ask' end)
    from generate_series(1, 20000) n`
  await sql`analyze audit_events, audit_roles`
  const page = async (path: string) => {
    recorded.statements = []
    recorded.plans = []
    const { items, next } = (await (await ada.fetch(path)).json()) as { items: AuditEntry[]; next: string }
    expect(items).toHaveLength(200)
    const statements = recorded.statements.filter((statement) => statement.includes('audit_roles'))
    expect(statements).toHaveLength(1)
    // The log follower polls each second, independently of the test.
    const unrelated = /session_callers|pg_type|relationship_head/
    const others = recorded.statements.filter((statement) => !statements.includes(statement))
    expect(others.filter((statement) => !unrelated.test(statement))).toEqual([expect.stringContaining('record_names')])
    const read = recorded.plans
      .flatMap((plan) => [...findTableReads(plan)])
      .filter(({ table }) => table.startsWith('audit_'))
    expect(read.map(({ table }) => table).sort()).toEqual(['audit_events', 'audit_roles'])
    for (const { rows } of read) expect(rows).toBeLessThanOrEqual(201)
    return next
  }
  let next = '/passport/admin/audit?role=Many.Have&limit=200'
  for (let pages = 0; pages < 12; pages++) next = await page(next)
})

function* findTableReads(node: PlanNode): Generator<{ table: string; rows: number }> {
  const { 'Relation Name': table, 'Rows Removed by Filter': removed = 0 } = node
  if (table) yield { table, rows: (node['Actual Rows'] + removed) * node['Actual Loops'] }
  for (const inner of node.Plans ?? []) yield* findTableReads(inner)
}

test('a purge of events also removes them from the index of roles', async () => {
  const { sql } = service
  await sql`
    insert into audit_events (id, at, action, target_kind, target_id)
    values ('old', now() - interval '400 days', 'role.created', 'role', 'Was.Here')`
  expect(await list({ role: 'Was.Here' })).toHaveLength(1)
  await sql`select purge_audit_events(365)`
  expect([...(await sql`select role from audit_roles where event_id = 'old'`)]).toEqual([])
})
