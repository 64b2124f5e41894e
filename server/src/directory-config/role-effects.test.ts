import * as clients from '@passport/contract/clients'
import { getCurrentUser } from '@passport/contract/current-user'
import * as groups from '@passport/contract/groups'
import * as orgs from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { applyDocument } from './apply.ts'
import { RuleViolation } from './apply-changes.ts'
import { JoinsNotConfirmed } from './joins.ts'
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

describe('what a directory file gives to existing records', () => {
  const role = { name: 'Stage.Editor', description: 'Edits stages' }
  const empty = { version: 1, roles: [role], orgs: [], groups: [] }
  const findJoins = async (document: object): Promise<string[]> => {
    const error = await applyDocument(service.sql, document).catch((error) => error)
    expect(error).toBeInstanceOf(JoinsNotConfirmed)
    expect((await applyDocument(service.sql, document, undefined, { isDryRun: true })).joins).toEqual(error.joins)
    return error.joins
  }
  const readRoles = async () => (await eve.call(getCurrentUser, {})).roles

  test('is confirmed if a group, which any user may have created, gets a role', async () => {
    await applyDocument(service.sql, empty)
    await eve.call(groups.createGroup, { body: { name: 'Riggers', members: [eve.id] } })
    const group = { org: null, name: 'riggers', description: '', roles: ['Stage.Editor'] }
    const document = { ...empty, groups: [group] }
    const before = await exportDocument(service.sql)
    const joins = await findJoins(document)
    expect(joins).toEqual(['group Riggers: Stage.Editor; 1 user'])
    expect(await exportDocument(service.sql)).toEqual(before)
    expect(await readRoles()).toEqual([])
    const isConfirmed = (join: string) => joins.includes(join)
    // A confirmation is for what was listed.
    const other = { ...document, roles: [role, { name: 'Stage.Owner', description: 'Owns' }] }
    const more = { ...other, groups: [{ ...group, roles: ['Stage.Editor', 'Stage.Owner'] }] }
    await expect(applyDocument(service.sql, more, undefined, { isConfirmed })).rejects.toThrow(JoinsNotConfirmed)
    expect(await readRoles()).toEqual([])
    expect(await applyDocument(service.sql, document, undefined, { isConfirmed })).toMatchObject({ joins })
    expect(await readRoles()).toEqual(['Stage.Editor'])
    // What it has already, and what it loses, is not asked again.
    expect(await applyDocument(service.sql, document)).toMatchObject({ done: [], joins: [] })
    expect(await applyDocument(service.sql, { ...empty, groups: [{ ...group, roles: [] }] })).toMatchObject({
      joins: [],
    })
    expect(await readRoles()).toEqual([])
  })

  test('is confirmed if users of a tenant get an existing role, or join an existing group', async () => {
    const org = { slug: 'tailspin', name: 'Tailspin', domains: [] }
    const { id: orgId } = await ada.call(orgs.createOrg, { body: { name: 'Tailspin', slug: 'tailspin' } })
    await ada.call(groups.createGroup, { body: { name: 'Staff', orgId } })
    const to = (...mappings: object[]) => ({
      ...empty,
      orgs: [org],
      groups: [{ org: 'tailspin', name: 'Fresh', description: '', roles: [] }],
      tenants: [{ ...tenant, org: 'tailspin', tenantId: '91b2f9c4-27c3-4a53-a0f6-6a2f9f1f3c11', mappings }],
    })
    const staff = { appRole: 'Author', group: { org: 'tailspin', name: 'Staff' } }
    const editors = { appRole: 'Author', role: 'Stage.Editor' }
    const fresh = { appRole: 'Author', group: { org: 'tailspin', name: 'Fresh' } }
    expect(await findJoins(to(staff, editors, fresh))).toEqual([
      'tenant of tailspin: (app role Author → group Staff of tailspin)',
      'tenant of tailspin: (app role Author → role Stage.Editor)',
    ])
    const isConfirmed = () => true
    await applyDocument(service.sql, to(editors, fresh), undefined, { isConfirmed })
    expect(await findJoins(to(editors, fresh, staff))).toEqual([
      'tenant of tailspin: (app role Author → group Staff of tailspin)',
    ])
    expect(await applyDocument(service.sql, to(fresh))).toMatchObject({ joins: [] })
  })

  test('is not asked for a tenant that comes with its organisation, groups and roles', async () => {
    const roles = [role, { name: 'Stage.Guide', description: 'Guides' }]
    const document = {
      version: 1,
      roles,
      orgs: [{ slug: 'wingtip', name: 'Wingtip', domains: [] }],
      groups: [{ org: 'wingtip', name: 'Guides', description: '', roles: ['Stage.Guide'] }],
      tenants: [
        {
          ...tenant,
          org: 'wingtip',
          tenantId: '5d0e7f53-4b6c-45b8-8c3e-8f0a6f5c2a10',
          mappings: [
            { appRole: 'Guide', role: 'Stage.Guide' },
            { appRole: 'Guide', group: { org: 'wingtip', name: 'Guides' } },
          ],
        },
      ],
    }
    expect(await applyDocument(service.sql, document)).toMatchObject({ joins: [] })
  })

  test('is confirmed if an application gets a scope for administration, or is enabled again', async () => {
    const { client } = await ada.call(clients.createClient, {
      body: { clientId: 'nightly', clientName: 'Nightly', redirectUris: [], scopes: ['permissions.read'] },
    } as never)
    const exported = (await exportDocument(service.sql)).clients ?? []
    const withScopes = (scopes: string[]) => ({ ...empty, clients: exported.map((entry) => ({ ...entry, scopes })) })
    expect(client.clientId).toBe('nightly')
    const withState = (enabled: boolean) => ({ ...empty, clients: exported.map((entry) => ({ ...entry, enabled })) })
    expect(await applyDocument(service.sql, withState(false))).toMatchObject({ joins: [] })
    expect(await findJoins(withState(true))).toEqual(['application nightly: enabled again'])
    await applyDocument(service.sql, withState(true), undefined, { isConfirmed: () => true })
    expect(await findJoins(withScopes(['passport.admin.read']))).toEqual(['application nightly: passport.admin.read'])
    expect(await applyDocument(service.sql, withScopes(['permissions.write']))).toMatchObject({ joins: [] })
  })
})
