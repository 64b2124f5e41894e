import { endpoints } from '@passport/contract/api'
import { caller } from '@passport/contract/call'
import { createGroup } from '@passport/contract/groups'
import * as bulk from '@passport/contract/user-bulk'
import * as imports from '@passport/contract/user-imports'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Who } from '../test-service.ts'
import { workOn } from '../user-imports/work.ts'
import type { Parts, Sample } from './test-samples.ts'
import { samplesOfOrgs } from './test-samples-of-orgs.ts'
import { samplesOfPermissions } from './test-samples-of-permissions.ts'

/** Every write that the service offers, with what it leaves in the audit. A new endpoint gets a line here. */

const inFlow = 'audit.test.ts asks it in a flow of its own and compares what it leaves'

/** The reason why an endpoint leaves nothing, or where it is tested that it does. */
const exempt: Record<string, string> = {
  lookUpPeople: 'changes nothing',
  checkPermission: 'changes nothing',
  checkPermissionsInBulk: 'changes nothing',
  lookUpResources: 'changes nothing',
  lookUpSubjects: 'changes nothing',
  listPermissionsOfSubject: 'changes nothing',
  expandPermission: 'changes nothing',
  findClosestMiss: 'changes nothing',
  nameObjects: 'changes nothing',
  previewDeletion: 'changes nothing',
  diffPermissionSchema: 'changes nothing',
  runAssertions: 'changes nothing',
  linkLogin: 'changes nothing before the identity provider has answered',
  unlinkLogin: inFlow,
  revokeConsent: inFlow,
  revokeSession: inFlow,
  revokeOtherSessions: inFlow,
  signOut: inFlow,
  decideDeviceAuthorization: inFlow,
  confirmInvitation: 'invitations.test.ts asks it, where somebody waits to be confirmed',
  verifyOrgDomain: 'org-domains.test.ts asks it, beside a name server, and looks at what it leaves',
  confirmDeviceAuthorization: inFlow,
  unlinkUserLogin: 'users.test.ts asks it',
  revokeUserSession: 'users.test.ts asks it',
}

/** What the answer of a call is needed for to make the next one. */
async function answered<T>(service: TestService, path: string, body: unknown): Promise<T> {
  const ada = await service.as('ada')
  const headers = { 'content-type': 'application/json' }
  const response = await ada.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as T
}
const newRole = async (service: TestService, name: string) =>
  answered(service, '/passport/admin/roles', { name, description: 'For the audit' })
const newInvitation = async (service: TestService, email: string) =>
  answered<{ id: string; link: string }>(service, '/passport/admin/users/invitations', { email })

const samples: Record<string, Sample> = {
  createRole: {
    sends: () => ({ body: { name: 'Audit.Made', description: 'd' } }),
    leaves: [['role.created', 'after']],
  },
  putRole: {
    sends: async (service) => {
      await newRole(service, 'Audit.Changed')
      return { params: { name: 'Audit.Changed' }, body: { description: 'other' } }
    },
    leaves: [['role.changed', 'both']],
  },
  deleteRole: {
    sends: async (service) => {
      await newRole(service, 'Audit.Deleted')
      return { params: { name: 'Audit.Deleted' }, query: {} }
    },
    leaves: [['role.deleted', 'before']],
  },
  addRoleMembers: {
    sends: async (service) => ({
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [(await service.as('eve')).id, (await service.as('max')).id] },
    }),
    leaves: [
      ['role.granted', 'after'],
      ['role.granted', 'after'],
    ],
  },
  removeRoleMembers: {
    sends: async (service) => ({
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [(await service.as('eve')).id] },
    }),
    leaves: [['role.taken', 'before']],
  },
  createInvitation: {
    sends: () => ({ body: { email: 'made@harbour.example' } }),
    leaves: [
      ['invitation.sent', 'after'],
      ['user.created', 'after'],
    ],
  },
  resendInvitation: {
    sends: async (service) => ({
      params: { invitationId: (await newInvitation(service, 'again@harbour.example')).id },
    }),
    leaves: [['invitation.resent', 'both']],
  },
  revokeInvitation: {
    sends: async (service) => ({ params: { invitationId: (await newInvitation(service, 'no@harbour.example')).id } }),
    leaves: [
      ['invitation.revoked', 'before'],
      ['user.deleted', 'before'],
    ],
  },
  ...samplesOfOrgs,
  ...samplesOfPermissions,
  putProfile: {
    sends: () => ({ params: { profileId: 'me' }, body: { displayname: 'Ada', username: 'ada.l' } }),
    leaves: [['profile.changed', 'both']],
  },
  putDisplayName: {
    sends: () => ({ params: { profileId: 'me' }, body: 'Countess' }),
    leaves: [['profile.changed', 'both']],
  },
  claimUsername: {
    sends: () => ({ params: { profileId: 'me' }, body: 'countess' }),
    leaves: [['profile.changed', 'both']],
  },
  putAuditRetention: { sends: () => ({ body: { days: 400 } }), leaves: [['audit.retention-changed', 'both']] },
  putPreference: {
    as: 'eve',
    sends: () => ({ params: { userId: 'me', key: 'theme' }, body: 'dark' }),
    leaves: [['preference.saved', 'after']],
  },
  deletePreference: {
    as: 'eve',
    sends: async (service) => {
      const params = { userId: 'me', key: 'gone' }
      await ask(service, 'eve', 'putPreference', { params, body: 'dark' })
      return { params }
    },
    leaves: [['preference.removed', 'before']],
  },
  createGroup: { sends: () => ({ body: { name: 'Made' } }), leaves: [['group.created', 'after']] },
  putGroup: {
    sends: async () => ({ params: { groupId: await aGroup() }, body: { name: 'Renamed' } }),
    leaves: [['group.changed', 'both']],
  },
  deleteGroup: { sends: async () => ({ params: { id: await aGroup() } }), leaves: [['group.deleted', 'before']] },
  restoreGroup: {
    sends: async () => {
      const params = { id: await aGroup() }
      await ask(service, 'ada', 'deleteGroup', { params })
      return { params, body: {} }
    },
    leaves: [['group.restored', 'after']],
  },
  addMembers: {
    sends: async () => ({ params: { groupId: await aGroup() }, body: { members: [(await service.as('eve')).id] } }),
    leaves: [['group.members-added', 'both']],
  },
  removeMembers: {
    sends: async () => {
      const { id } = await service.as('eve')
      return { params: { groupId: await aGroup({ members: [id] }) }, body: { members: [id] } }
    },
    leaves: [['group.members-removed', 'both']],
  },
  addOwners: {
    sends: async () => ({ params: { groupId: await aGroup() }, body: { owners: [(await service.as('eve')).id] } }),
    leaves: [['group.owners-added', 'both']],
  },
  removeOwners: {
    sends: async () => {
      const { id } = await service.as('eve')
      return { params: { groupId: await aGroup({ owners: [id] }) }, body: { owners: [id] } }
    },
    leaves: [['group.owners-removed', 'both']],
  },
  putGroupRoles: {
    sends: async () => ({ params: { groupId: await aGroup() }, body: { roles: ['Passport.Developer'] } }),
    leaves: [['group.roles-changed', 'both']],
  },
}

/** A group of ada's, by a name of its own. */
async function aGroup(people: { members?: string[]; owners?: string[] } = {}): Promise<string> {
  const { call } = await service.as('ada')
  return (await call(createGroup, { body: { name: crypto.randomUUID(), ...people } })).id
}

/** Someone new, for a call that changes or ends them; `before` is what happens to them first. */
const someone =
  (body?: unknown, before?: string): Sample['sends'] =>
  async ({ sql }) => {
    const userId = crypto.randomUUID()
    await sql`
      insert into users (id, display_name, disabled_at, deleted_at)
      values (${userId}, 'Someone', ${before === 'disabled' ? new Date().toISOString() : null}, ${before === 'deleted' ? new Date().toISOString() : null})`
    return { params: { userId }, query: {}, body }
  }

/** A file of one person, checked and, where it says so, applied. */
const file =
  (isApplied: boolean): Sample['sends'] =>
  async (service) => {
    const ada = await service.as('ada')
    const body = `displayname\n${crypto.randomUUID()}`
    const { importId } = await ada.call(imports.createUserImport, { body })
    const params = { importId }
    if (!isApplied) return { params }
    await ada.call(imports.applyUserImport, { params })
    await workOn(service.sql, importId)
    await expect.poll(async () => (await ada.call(imports.getUserImport, { params })).state).toBe('applied')
    return { params }
  }

Object.assign(samples, {
  createUser: { sends: () => ({ query: {}, body: { displayname: 'Someone' } }), leaves: [['user.created', 'after']] },
  updateUser: { sends: someone({ displayname: 'Other' }), leaves: [['user.changed', 'both']] },
  deleteUser: { sends: someone(), leaves: [['user.deleted', 'before']] },
  restoreUser: { sends: someone({}, 'deleted'), leaves: [['user.restored', 'after']] },
  setUserRoles: { sends: someone({ roles: ['Passport.Developer'] }), leaves: [['role.granted', 'after']] },
  disableUser: { sends: someone(), leaves: [['user.disabled', 'both']] },
  enableUser: { sends: someone(undefined, 'disabled'), leaves: [['user.enabled', 'both']] },
  lockDownUser: { sends: someone(), leaves: [['user.locked-down', 'both']] },
  signOutUser: { sends: someone(), leaves: [['signout.everywhere', 'after']] },
  resetUser: {
    sends: async (service) => ({ params: { userId: (await service.as('dev')).id } }),
    leaves: [['directory.password-set', 'neither']],
  },
  bulkChangeUsers: {
    sends: async (service) => {
      const { params } = await someone()(service)
      return { body: { action: 'disable', ids: [params?.['userId']] } }
    },
    leaves: [['user.disabled', 'both']],
  },
  undoBulkChange: {
    sends: async (service) => {
      const { params } = await someone()(service)
      const ada = await service.as('ada')
      const { undoToken } = await ada.call(bulk.bulkChangeUsers, {
        body: { action: 'disable', ids: [params?.['userId'] ?? ''] },
      })
      return { body: { undoToken } }
    },
    leaves: [['user.enabled', 'both']],
  },
  createUserImport: {
    sends: () => ({ body: `displayname\n${crypto.randomUUID()}` }),
    leaves: [['users.import-checked', 'after']],
  },
  applyUserImport: {
    sends: file(false),
    leaves: [
      ['user.created', 'after'],
      ['users.imported', 'after'],
    ],
  },
  takeBackUserImport: {
    sends: file(true),
    leaves: [
      ['user.deleted', 'before'],
      ['users.import-taken-back', 'after'],
    ],
  },
} satisfies Record<string, Sample>)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

const writes = [...endpoints].filter(([, { method }]) => method !== 'GET').map(([name]) => name)

test('every write has a line, and only writes do', () => {
  const known = [...Object.keys(samples), ...Object.keys(exempt)]
  expect(known.sort()).toEqual(writes.sort())
})

test.for(Object.entries(samples))('%s', async ([name, { as = 'ada', sends, leaves }]) => {
  const parts = await sends(service)
  const traceId = await ask(service, as, name, parts)
  const { id } = await service.as(as)
  const read = () => service.sql`
    select action, actor_id as actor, before, after, ip from audit_events where trace_id = ${traceId} order by at, id`
  // Some of it is done after the answer.
  await expect
    .poll(async () => (await read()).map(({ action, before, after }) => [action, sidesOf(before, after)]).sort())
    .toEqual(leaves.sort())
  const recorded = await read()
  for (const { actor, ip } of recorded) expect({ actor, ip }).toEqual({ actor: id, ip: '127.0.0.1' })
})

function sidesOf(before: unknown, after: unknown) {
  if (before && after) return 'both'
  return before ? 'before' : after ? 'after' : 'neither'
}

/** Asks in a trace of its own, by which what the call leaves is found. */
async function ask(service: TestService, who: Who, name: string, parts: Parts): Promise<string> {
  const endpoint = endpoints.get(name)
  if (!endpoint) throw new Error(`There is no endpoint ${name}`)
  const { cookie } = await service.as(who)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const call = caller(service.url, (request) => {
    request.headers.set('cookie', cookie)
    request.headers.set('sec-fetch-site', 'same-origin')
    request.headers.set('traceparent', `00-${traceId}-0123456789abcdef-01`)
    return fetch(request)
  })
  await call(endpoint, parts as never)
  return traceId
}
