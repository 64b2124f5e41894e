import * as api from '@passport/contract/entra'
import { createGroup, deleteGroup, putGroupRoles, restoreGroup } from '@passport/contract/groups'
import { type EntraMapping, maxMappings } from '@passport/contract/org-entra'
import { createOrg, deleteOrg, getOrg, restoreOrg } from '@passport/contract/orgs'
import { addRoleMembers, createRole, deleteRole } from '@passport/contract/roles'
import { deleteUser, restoreUser } from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { applyDocument } from '../directory-config/apply.ts'
import { exportDocument } from '../directory-config/read.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import * as claims from './claims-store.ts'
import { createTenant, type EntraService, startEntraService } from './test-entra.ts'

let entra: EntraService
let orgId: string
beforeAll(async () => {
  const tenant = createTenant(1)
  entra = await startEntraService({ tenants: [tenant] })
  const { org } = await entra.ada.call(api.createEntraOrg, { body: { tenantId: tenant.id } })
  orgId = org.id
  for (const name of ['Stage.Editor', 'Stage.Viewer'])
    await entra.ada.call(createRole, { body: { name, description: 'A role of stages' } })
})

const groupObjectId = guidOf('group')
let serial = 0
const createTestGroup = async (roles: string[] = []) => {
  const { id } = await entra.ada.call(createGroup, { body: { name: `Group ${++serial}` } })
  if (roles.length > 0) await giveRoles(id, roles)
  return id
}
const giveRoles = (groupId: string, roles: string[]) =>
  entra.ada.call(putGroupRoles, { params: { groupId }, query: {}, body: { roles } })
const put = (mappings: unknown[], { allowGuests = false, query = {} } = {}) =>
  entra.ada.call(api.putEntra, {
    params: { orgId },
    query,
    body: { allowGuests, mappings: mappings as EntraMapping[] },
  })
const read = async () => (await entra.ada.call(getOrg, { params: { orgId } })).entra
const listEvents = () => entra.service.sql`
  select before, after from audit_events where action = 'org.entra-changed' and target_id = ${orgId} order by at`

describe('the settings of a tenant', () => {
  test('are replaced, read back and audited, and must then be tested again', async () => {
    const groupId = await createTestGroup()
    await entra.service.sql`update entra_connections set tested_at = now() where org_id = ${orgId}`
    const before = await entra.ada.call(getOrg, { params: { orgId } })
    const mappings = [
      { groupObjectId, groupId },
      { groupObjectId, role: 'Stage.Editor' },
      { appRole: 'Editor.All', groupId },
      { appRole: 'Editor.All', role: 'Stage.Editor' },
    ]
    const sent = [{ ...mappings[0], groupObjectId: ` ${groupObjectId.toUpperCase()}` }, ...mappings]
    const org = await put(sent, { allowGuests: true })
    expect(org).toMatchObject({ version: before.version + 1, entra: { allowGuests: true, mappings, testedAt: null } })
    expect(await read()).toEqual(org.entra)
    const targets = { groups: [groupId], roles: ['Stage.Editor'] }
    const event = {
      before: { allowGuests: false, mappings: {} },
      after: { allowGuests: true, mappings: { [groupObjectId]: targets, 'app role Editor.All': targets } },
    }
    expect(await listEvents()).toEqual([event])
    expect((await put(mappings, { allowGuests: true })).version).toBe(org.version)
    expect(await listEvents()).toHaveLength(1)
    await put([])
    expect(await read()).toMatchObject({ allowGuests: false, mappings: [] })
  })

  test('are not written by a preview, which names the users who gain and lose', async () => {
    const [editors, viewers] = [await createTestGroup(['Stage.Editor']), await createTestGroup()]
    const { sql } = entra.service
    await sql`insert into users (id, display_name) values ('mira', 'Mira Olsen')`
    await sql`insert into logins (id, user_id, provider_id, issuer, subject, label) values ('l', 'mira', 'entra:x', 'entra:x', 's', 'm')`
    await claims.save(sql, { loginId: 'l', orgId }, { groups: [groupObjectId], roles: [] })
    const preview = (mappings: unknown[]) => put(mappings, { query: { preview: true } })
    const mira = { people: 1, sample: [{ id: 'mira', name: 'Mira Olsen' }] }
    const none = { gains: [], loses: [] }
    const mapping = { groupObjectId, groupId: editors }
    const editorGroup = { groupId: editors, name: expect.any(String), ...mira }
    expect(await preview([mapping])).toEqual({
      gains: [{ role: 'Stage.Editor', ...mira }],
      loses: [],
      groups: { gains: [editorGroup], loses: [] },
    })
    expect((await read())?.mappings).toEqual([])
    await put([mapping])
    expect(await preview([mapping])).toEqual(none)
    expect(await preview([{ appRole: 'X', groupId: editors }])).toMatchObject({
      loses: [{ role: 'Stage.Editor' }],
      groups: { gains: [], loses: [editorGroup] },
    })
    expect(await preview([mapping, { groupObjectId, groupId: viewers }])).toMatchObject({
      ...none,
      groups: { gains: [{ groupId: viewers, ...mira }], loses: [] },
    })
    await put([])
    expect(await sql`select from group_members where user_id = 'mira'`).toHaveLength(0)
  })

  test('are compared with If-Match', async () => {
    const send = (etag: string, allowGuests: boolean) =>
      entra.ada.fetch(`/passport/admin/orgs/${orgId}/entra`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ allowGuests, mappings: [] }),
      })
    const etag = (await entra.ada.fetch(`/passport/admin/orgs/${orgId}/entra`)).headers.get('etag') ?? ''
    const [first, second] = [await send(etag, true), await send(etag, false)]
    expect([first.status, second.status]).toEqual([200, 412])
    expect((await send(first.headers.get('etag') ?? '', false)).status).toBe(200)
  })

  const fieldsOf = (error: { body?: { errors?: { field: string }[] } }) => error.body?.errors?.map(({ field }) => field)
  test.for<[string, unknown[], string[]]>([
    ['without a source', [{ role: 'Stage.Editor' }], ['mappings[0].groupObjectId']],
    ['with two sources', [{ groupObjectId, appRole: 'X', role: 'Stage.Editor' }], ['mappings[0].groupObjectId']],
    ['without a target', [{ groupObjectId }], ['mappings[0].groupId']],
    ['with two targets', [{ groupObjectId, groupId: 'x', role: 'Stage.Editor' }], ['mappings[0].groupId']],
    ['of a name', [{ groupObjectId: 'Editors', role: 'Stage.Editor' }], ['mappings[0].groupObjectId']],
    ['of an empty app role', [{ appRole: '', role: 'Stage.Editor' }], ['mappings[0].appRole']],
    ['of an app role with a space', [{ appRole: 'a b', role: 'Stage.Editor' }], ['mappings[0].appRole']],
    ['of a long app role', [{ appRole: 'a'.repeat(121), role: 'Stage.Editor' }], ['mappings[0].appRole']],
    ['to a missing group', [{ groupObjectId, groupId: 'missing' }], ['mappings[0].groupId']],
    ['to a missing role', [{ appRole: 'a'.repeat(120), role: 'Missing' }], ['mappings[0].role']],
    [
      'to built-in roles',
      [
        { groupObjectId, role: 'Stage.Editor' },
        { groupObjectId, role: 'Passport.Admin' },
        { appRole: 'X', role: 'Passport.Developer' },
      ],
      ['mappings[1].role', 'mappings[2].role'],
    ],
    [
      'beyond the limit',
      Array.from({ length: maxMappings + 1 }, (_, i) => ({ appRole: `${i}`, role: 'R' })),
      ['mappings'],
    ],
  ])('reject a mapping %s', async ([, mappings, fields]) => {
    const error = await put(mappings).catch((error) => error)
    expect([error.status, fieldsOf(error)]).toEqual([400, fields])
  })

  test('reject a guest setting that is neither true nor false', async () => {
    const error = await put([], { allowGuests: 'yes' as never }).catch((error) => error)
    expect([error.status, fieldsOf(error)]).toEqual([400, ['allowGuests']])
  })

  test('accept as many mappings as the limit, and app roles of any allowed length', async () => {
    const roles = Array.from({ length: maxMappings }, (_, index) => ({
      appRole: 'a'.repeat(120 - String(index).length) + index,
      role: 'Stage.Editor',
    }))
    expect((await put(roles)).entra?.mappings).toHaveLength(maxMappings)
    await put([])
  })

  test('do not exist for a standard organisation, a missing one and one in the trash', async () => {
    const { id } = await entra.ada.call(createOrg, { body: { name: 'Standard' } })
    const body = { allowGuests: true, mappings: [] }
    const codeOf = (orgId: string) =>
      entra.ada.call(api.putEntra, { params: { orgId }, query: {}, body }).catch((error) => error.body.code)
    expect(await codeOf(id)).toBe('entra-not-linked')
    for (const endpoint of [api.getOrgEntra, api.createConsentLink, api.enableEntra, api.disableEntra] as const)
      await expect(entra.ada.call(endpoint as typeof api.getOrgEntra, { params: { orgId: id } })).rejects.toMatchObject(
        {
          status: 404,
          body: { code: 'entra-not-linked' },
        },
      )
    await entra.ada.call(deleteOrg, { params: { orgId: id }, query: {} })
    expect([await codeOf(id), await codeOf('missing')]).toEqual(['org-not-found', 'org-not-found'])
  })
})

describe('what a mapping no longer gives', () => {
  const roleOf = 'Stage.Editor'
  const rolesOf = async (id: string) => {
    const rows = await entra.service.sql<{ role: string }[]>`
      select role from effective_roles where user_id = ${id} order by role`
    return rows.map(({ role }) => role)
  }
  const isMember = async (groupId: string, userId: string) =>
    (await entra.service.sql`select from group_members where group_id = ${groupId} and user_id = ${userId}`).count === 1

  /** Creates a user to whom the mappings give a role and a group. */
  async function createMapped(mappings: EntraMapping[]): Promise<string> {
    const { sql } = entra.service
    const id = `mapped-${++serial}`
    await sql`insert into users (id, display_name) values (${id}, 'Mapped')`
    await sql`
      insert into logins (id, user_id, provider_id, issuer, subject, label)
      values (${id}, ${id}, 'entra:x', 'entra:x', ${id}, 'm')`
    await claims.save(sql, { loginId: id, orgId }, { groups: [groupObjectId], roles: [] })
    await put(mappings)
    return id
  }

  test('does not come back with a restored user, and what it still gives does', async () => {
    const groupId = await createTestGroup(['Stage.Viewer'])
    const kept = { groupObjectId, groupId }
    const id = await createMapped([{ groupObjectId, role: roleOf }, kept])
    expect([await rolesOf(id), await isMember(groupId, id)]).toEqual([[roleOf, 'Stage.Viewer'], true])
    await entra.ada.call(deleteUser, { params: { userId: id }, query: {} } as never)
    await put([kept])
    await entra.ada.call(restoreUser, { params: { userId: id }, query: {}, body: {} } as never)
    expect([await rolesOf(id), await isMember(groupId, id)]).toEqual([['Stage.Viewer'], true])
    await put([])
    expect([await rolesOf(id), await isMember(groupId, id)]).toEqual([[], false])
  })

  test.each([
    ['group', async (id: string) => entra.ada.call(deleteGroup, { params: { id }, query: {} })],
    [
      'organisation',
      async (_: string, org: string) => entra.ada.call(deleteOrg, { params: { orgId: org }, query: {} }),
    ],
  ] as const)('does not come back with a restored %s', async (kind, remove) => {
    const org = await entra.ada.call(createOrg, { body: { name: `Other ${++serial}` } })
    const { id: groupId } = await entra.ada.call(createGroup, { body: { name: `Of other ${serial}`, orgId: org.id } })
    await giveRoles(groupId, ['Stage.Viewer'])
    const id = await createMapped([{ groupObjectId, groupId }])
    expect(await rolesOf(id)).toEqual(['Stage.Viewer'])
    await remove(groupId, org.id)
    await put([])
    if (kind === 'group') await entra.ada.call(restoreGroup, { params: { id: groupId }, query: {}, body: {} })
    else await entra.ada.call(restoreOrg, { params: { orgId: org.id }, query: {}, body: {} })
    expect([await rolesOf(id), await isMember(groupId, id)]).toEqual([[], false])
  })
})

describe('a group with a built-in role', () => {
  test('cannot be the target of a mapping', async () => {
    const [plain, carrying] = [await createTestGroup(['Stage.Editor']), await createTestGroup(['Passport.Developer'])]
    await expect(
      put([
        { groupObjectId, groupId: plain },
        { groupObjectId, groupId: carrying },
      ]),
    ).rejects.toMatchObject({
      status: 409,
      body: {
        code: 'group-carries-role',
        errors: [{ field: 'mappings[1].groupId', message: expect.stringContaining('Passport.Developer') }],
      },
    })
    await giveRoles(carrying, [])
    expect((await put([{ groupObjectId, groupId: carrying }])).entra?.mappings).toHaveLength(1)
    await put([])
  })

  test('cannot arise from a target, not even in the trash, but targets can have other roles', async () => {
    const groupId = await createTestGroup()
    await put([{ appRole: 'X', groupId }])
    const managed = { status: 409, body: { code: 'group-managed-externally' } }
    await expect(giveRoles(groupId, ['Passport.Developer'])).rejects.toMatchObject(managed)
    expect((await giveRoles(groupId, ['Stage.Editor'])).roles).toEqual(['Stage.Editor'])
    await entra.ada.call(deleteGroup, { params: { id: groupId }, query: {} })
    await expect(put([{ appRole: 'Y', groupId }])).rejects.toMatchObject({ body: { code: 'mapping-invalid' } })
    await entra.ada.call(restoreGroup, { params: { id: groupId }, query: {}, body: {} })
    await expect(giveRoles(groupId, ['Passport.Admin'])).rejects.toMatchObject(managed)
    await put([])
    expect((await giveRoles(groupId, ['Passport.Developer'])).roles).toEqual(['Passport.Developer'])
  })

  test('cannot arise by the directory file either, which keeps the tenant of an organisation', async () => {
    const groupId = await createTestGroup()
    await put([{ groupObjectId, groupId }])
    const { sql } = entra.service
    const file = await exportDocument(sql)
    const group = file.groups.find(({ name }) => name === `Group ${serial}`)
    const groups = [{ ...group, roles: ['Passport.Developer'] }]
    await expect(applyDocument(sql, { ...file, groups })).rejects.toThrow('cannot have a built-in role')
    const orgs = file.orgs.map((org) => ({ ...org, name: 'Renamed' }))
    await applyDocument(sql, { ...file, orgs })
    expect(await entra.ada.call(getOrg, { params: { orgId } })).toMatchObject({
      name: 'Renamed',
      kind: 'entra',
      entra: { mappings: [{ groupObjectId, groupId }] },
    })
    await put([])
  })

  test('never becomes a target in a race of sixteen', async () => {
    for (let round = 0; round < 3; round++) {
      const groupId = await createTestGroup()
      const call = (index: number) =>
        index % 2 === round % 2
          ? put([{ groupObjectId, groupId }], { allowGuests: index > 7 })
          : giveRoles(groupId, ['Passport.Developer'])
      const first = call(0)
      // Either kind wins some of the rounds.
      await read()
      const calls = [first, ...Array.from({ length: 15 }, (_, index) => call(index + 1))]
      const results = await Promise.allSettled(calls)
      const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.body?.code] : []))
      const isTarget = (await read())?.mappings.length === 1
      expect(new Set(codes)).toEqual(new Set([isTarget ? 'group-managed-externally' : 'group-carries-role']))
      expect(codes).toHaveLength(8)
      const [row] = await entra.service
        .sql`select count(*)::integer as count from group_roles where group_id = ${groupId}`
      expect(row).toEqual({ count: isTarget ? 0 : 1 })
      await put([])
    }
  })
})

test('a role that is deleted takes its mappings with it, so that one of the same name is given to nobody', async () => {
  const { ada, service } = entra
  const { sql } = service
  const role = 'Stage.Again'
  const create = () => ada.call(createRole, { body: { name: role, description: 'Created again' } })
  await create()
  const kept = { appRole: 'Kept', role: 'Stage.Editor' }
  await put([{ groupObjectId, role }, kept])
  const { id: userId } = await service.as('eve')
  const identity = { providerId: 'entra', issuer: 'entra', subject: 'eve', label: 'Eve' }
  const loginId = (await linkLogin(sql, userId, identity)) ?? ''
  const signIn = async () => {
    await claims.save(sql, { loginId, orgId }, { groups: [groupObjectId], roles: [] })
    await applyMappings(sql, orgId, userId)
    return sql`select role from role_members where user_id = ${userId}`
  }
  expect(await signIn()).toEqual([{ role }])
  const { version } = await ada.call(getOrg, { params: { orgId } })
  await ada.call(deleteRole, { params: { name: role }, query: {} })
  expect(await ada.call(getOrg, { params: { orgId } })).toMatchObject({
    version: version + 1,
    entra: { mappings: [kept] },
  })
  await create()
  expect(await signIn()).toEqual([])
  // An administrator gives the new role, which no mapping takes.
  await ada.call(addRoleMembers, { params: { name: role }, query: {}, body: { members: [userId] } })
  expect(await signIn()).toEqual([{ role }])
  await put([])
})
