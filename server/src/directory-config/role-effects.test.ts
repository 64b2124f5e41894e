import * as groups from '@passport/contract/groups'
import * as orgs from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { applyDocument } from './apply.ts'
import { RuleViolation } from './apply-changes.ts'
import { exportDocument } from './read.ts'

let service: TestService
let ada: Visitor
let eve: Visitor
beforeAll(async () => {
  service = await startTestService()
  ;[ada, eve] = [await service.as('ada'), await service.as('eve')]
})

const structure = { version: 1, roles: [], orgs: [{ slug: 'fabrikam', name: 'Fabrikam', domains: [] }] }
const tenantId = '6ac0b21e-4f7d-4a41-9c57-1d2f0f8f2a10'
const tenant = { org: 'fabrikam', tenantId, cloud: 'AzurePublic', allowGuests: false }
const toGroup = (...roles: string[]) => ({ org: 'fabrikam', name: 'Crew', description: '', roles })
const mapping = { groupObjectId: '0d6c4f3a-58f0-4c0e-9d05-6f0b61f4b9b1', group: { org: 'fabrikam', name: 'Crew' } }

describe('a directory file', () => {
  test.each([
    ['maps to a role of Passport itself', [toGroup()], [{ appRole: 'Boss', role: 'Passport.Admin' }]],
    ['maps to a group to which it gives such a role', [toGroup('Passport.Developer')], [mapping]],
  ])('is rejected if it %s', async (_, groups, mappings) => {
    const before = await exportDocument(service.sql)
    const applied = applyDocument(service.sql, { ...structure, groups, tenants: [{ ...tenant, mappings }] })
    await expect(applied).rejects.toThrow(RuleViolation)
    expect(await exportDocument(service.sql)).toEqual(before)
  })

  test('is rejected if it gives such a role to a group to which a tenant maps', async () => {
    await applyDocument(service.sql, {
      ...structure,
      groups: [toGroup()],
      tenants: [{ ...tenant, mappings: [mapping] }],
    })
    const applied = applyDocument(service.sql, { ...structure, groups: [toGroup('Passport.Admin')] })
    await expect(applied).rejects.toThrow(RuleViolation)
  })

  test.each([
    ['member', { members: true }],
    ['owner', { members: false }],
  ])(
    'gives no role of Passport itself to a group with a %s, which any user may have created',
    async (name, { members }) => {
      const group = { org: null, name: `Night shift ${name}`, description: '' }
      await eve.call(groups.createGroup, { body: { ...group, ...(members && { members: [eve.id] }) } })
      const apply = (...roles: string[]) =>
        applyDocument(service.sql, { version: 1, roles: [], orgs: [], groups: [{ ...group, roles }] })
      await expect(apply('Passport.Admin')).rejects.toThrow(
        `groups[0]: The group ${group.name} exists and has users, who would get Passport.Admin.`,
      )
      expect((await eve.fetch('/passport/admin/users')).status).toBe(403)
      // An administrator gives it knowingly, and then the file has it.
      const { items } = await ada.call(groups.listGroups, { query: { query: group.name, scope: 'all' } } as never)
      const groupId = items[0]?.id ?? ''
      await ada.call(groups.putGroupRoles, { params: { groupId }, query: {}, body: { roles: ['Passport.Developer'] } })
      expect(await apply('Passport.Developer')).toMatchObject({ done: [] })
      await apply()
    },
  )

  test('restores no deleted group or organisation, whose members would have their roles again', async () => {
    const org = await ada.call(orgs.createOrg, { body: { name: 'Northwind', slug: 'northwind' } })
    for (const [name, orgId] of [
      ['Operators', null],
      ['Rigging', org.id],
    ] as const) {
      const { id: groupId } = await ada.call(groups.createGroup, { body: { name, orgId, members: [eve.id] } })
      await ada.call(groups.putGroupRoles, { params: { groupId }, query: {}, body: { roles: ['Passport.Admin'] } })
      if (orgId === null) await ada.call(groups.deleteGroup, { params: { id: groupId }, query: {} })
    }
    await ada.call(orgs.deleteOrg, { params: { orgId: org.id }, query: {} })
    await applyDocument(service.sql, {
      version: 1,
      roles: [],
      orgs: [{ slug: 'northwind', name: 'Northwind', domains: [] }],
      groups: [
        { org: null, name: 'OPERATORS', description: '', roles: ['Passport.Admin'] },
        { org: 'northwind', name: 'Rigging', description: '', roles: ['Passport.Admin'] },
      ],
    })
    expect((await eve.fetch('/passport/admin/users')).status).toBe(403)
    expect(await service.sql`select from role_sources where user_id = ${eve.id}`).toHaveLength(0)
  })
})
