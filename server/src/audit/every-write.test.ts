import { endpoints } from '@passport/contract/api'
import { uploadAvatar } from '@passport/contract/avatar'
import { createApiCall } from '@passport/contract/call'
import { type Client, deleteClient } from '@passport/contract/clients'
import { deleteContent, publishContent, putContent } from '@passport/contract/content'
import { getGrant } from '@passport/contract/entitlement-grants'
import { createGroup } from '@passport/contract/groups'
import * as bulk from '@passport/contract/user-bulk'
import * as imports from '@passport/contract/user-imports'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { createModel } from '../profile/test-models.ts'
import { startTestService, type TestService, type UserName } from '../test-service.ts'
import { processImport } from '../users/run-import.ts'
import { orgSamples } from './test-org-samples.ts'
import { permissionSamples } from './test-permission-samples.ts'
import type { Parts, Sample } from './test-samples.ts'

/* The audit events that each write endpoint records. A new endpoint needs a sample or an exemption. */

const coveredByFlowTest = 'audit.test.ts covers it and its audit events as part of a flow'

/** Why an endpoint records no events, or where its events are tested. */
const exempt: Record<string, string> = {
  lookUpUsers: 'changes nothing',
  checkPermission: 'changes nothing',
  checkPermissionsInBulk: 'changes nothing',
  lookUpResources: 'changes nothing',
  lookUpSubjects: 'changes nothing',
  listPermissionsOfSubject: 'changes nothing',
  expandPermission: 'changes nothing',
  findClosestMiss: 'changes nothing',
  receiveSnsMessage: 'is stored itself; what it changes is recorded when it is applied',
  receiveAwsEvent: 'is stored itself; what it changes is recorded when it is applied',
  nameObjects: 'changes nothing',
  previewDeletion: 'changes nothing',
  diffPermissionSchema: 'changes nothing',
  runAssertions: 'changes nothing',
  testClientSignIn: 'changes nothing',
  previewContent: 'changes nothing',
  resendMails: 'mail-admin.test.ts covers it and its audit events',
  sendTestMail: 'mail-admin.test.ts covers it and its audit event',
  uploadBrandPicture: 'stores a picture; the branding that refers to it is recorded',
  simulateSignIns: 'changes nothing',
  assignAwsSubscription: 'administer-subscriptions.test.ts covers it and its audit event',
  refreshAwsSubscription: 'administer-subscriptions.test.ts covers it and its audit event',
  retryAwsUsage: 'metering.test.ts covers it and its audit event',
  assignAwsEvent: 'orphans.test.ts covers it and its audit event',
  playAwsSimulator: 'simulator.test.ts covers it and its audit event',
  putAwsSubscription: 'administer-subscriptions.test.ts covers it and its audit event',
  createAwsSubscription: 'administer-subscriptions.test.ts covers it and its audit event',
  validateAwsProduct: 'changes nothing',
  reportUsage: 'usage.test.ts covers it and its audit event, with an idempotency key',
  linkLogin: 'changes nothing until the identity provider responds',
  startConnection: 'changes nothing until the account is confirmed',
  receiveConnection: 'changes nothing until the account is confirmed',
  confirmConnection: 'connections.test.ts covers it and its audit events',
  proveConnection: 'connections.test.ts covers it and its audit event',
  undoMove: 'connections.test.ts covers it and its audit events',
  removeConnection: 'connections.test.ts covers it and its audit event',
  removeUserConnection: 'connections.test.ts covers it and its audit event',
  registerAwsBuyer: 'nobody is signed in; landing.test.ts covers it',
  validateAwsBuyer: 'reserves a registration for four hours',
  redeemAwsRegistration: 'redeem.test.ts covers it and its audit events',
  unlinkLogin: coveredByFlowTest,
  revokeConsent: coveredByFlowTest,
  revokeSession: coveredByFlowTest,
  revokeOtherSessions: coveredByFlowTest,
  signOut: coveredByFlowTest,
  decideDeviceAuthorization: coveredByFlowTest,
  confirmInvitation: 'invitations.test.ts covers it with a claimed invitation',
  verifyOrgDomain: 'org-domains.test.ts covers it and its audit events with a test DNS server',
  createEntraOrg: 'entra.test.ts covers it and its audit events with a simulated Entra',
  createConsentLink: 'entra.test.ts covers it and its audit event',
  putEntra: 'entra.test.ts covers it and its audit event',
  startEntraTest: 'tenant.test.ts covers it and the audit event at its end',
  enableEntra: 'entra.test.ts covers it and its audit event',
  disableEntra: 'entra.test.ts covers it and its audit event',
  createSetupLink: 'setup.test.ts covers it and its audit event',
  createOwnSetupLink: 'setup.test.ts covers it and its audit event',
  revokeSetupLink: 'setup.test.ts covers it and its audit event',
  revokeOwnSetupLink: 'setup.test.ts covers it and its audit event',
  openSetupLink: 'setup.test.ts covers it and its audit event',
  createSetupConsentLink: 'setup.test.ts covers it and its audit event',
  putSetupSettings: 'setup.test.ts covers it and its audit event',
  createSetupScimToken: 'setup.test.ts covers it and its audit event',
  revokeSetupScimToken: 'setup.test.ts covers it and its audit event',
  startSetupTest: 'setup.test.ts covers it and the audit event at its end',
  confirmDeviceAuthorization: coveredByFlowTest,
  unlinkUserLogin: 'users.test.ts covers it',
  revokeUserSession: 'users.test.ts covers it',
  revokePersonalToken: 'personal-tokens.test.ts covers it and its audit event',
  revokeUserPersonalToken: 'personal-tokens.test.ts covers it and its audit event',
  createScimToken: 'administration.test.ts of scim covers it and its audit event',
  revokeScimToken: 'administration.test.ts of scim covers it and its audit event',
  revokeDeveloperToken: 'developer-tokens.test.ts covers it and its audit event',
}

/** Sends a request whose response the next request needs. */
async function post<T>(service: TestService, path: string, body: unknown): Promise<T> {
  const ada = await service.as('ada')
  const headers = { 'content-type': 'application/json' }
  const response = await ada.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as T
}
const createTestRole = async (service: TestService, name: string) =>
  post(service, '/passport/admin/roles', { name, description: 'For the audit' })
const createTestClient = async (service: TestService, clientName: string) =>
  post<{ client: Client }>(service, '/passport/admin/identity/clients', {
    clientName,
    redirectUris: ['https://shop.example/callback'],
  })
/** Saves the draft of a text in a language of its own, and publishes it if asked to. */
async function createTestContent(service: TestService, locale: string, isPublished = false) {
  const ada = await service.as('ada')
  const parts = { params: { slug: 'terms' as const }, query: { locale } }
  const { version } = await ada.call(putContent, { ...parts, body: { title: 'T', body: 'First' } })
  if (isPublished) await ada.call(publishContent, { ...parts, body: { version } })
  return { ...parts, body: { version } }
}
/** Uploads a picture and a model as eve. */
async function createTestAvatar(service: TestService) {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const body = { png: new File([png], 'avatar'), glb: new File([createModel()], 'avatar') }
  const avatar = await (await service.as('eve')).call(uploadAvatar, { params: { profileId: 'me' }, body })
  return { pngUrl: String(avatar.pngUrl), glbUrl: String(avatar.glbUrl) }
}
const newApi = (name: string) => ({ name, displayName: name, audience: `https://${name}.example` })
const createTestApi = (service: TestService, name: string) =>
  post<{ id: string }>(service, '/passport/admin/identity/apis', newApi(name))
const newAwsProduct = (productCode: string) => ({
  name: 'Stage',
  productCode,
  pricingModel: 'contract',
  dimensions: [{ key: 'seats', kind: 'entitled' }],
  supportEmail: 'help@stage.example',
})
const createTestAwsProduct = (service: TestService, productCode: string) =>
  post<{ id: string }>(service, '/passport/admin/awsproducts', newAwsProduct(productCode))
const createTestEntitlement = (service: TestService, key: string) =>
  post<{ id: string }>(service, '/passport/admin/entitlements', { key, name: key, kind: 'quantity' })
async function createTestGrant(service: TestService, key: string) {
  const [{ id }, org] = [
    await createTestEntitlement(service, key),
    await post<{ id: string }>(service, '/passport/admin/orgs', { name: key }),
  ]
  const path = `/passport/admin/entitlements/${id}/grants`
  const grant = await post<{ id: string }>(service, path, { orgId: org.id, quantity: 1 })
  return { params: { entitlementId: id, grantId: grant.id }, query: {} }
}
const createTestInvitation = async (service: TestService, email: string) =>
  post<{ id: string; link: string }>(service, '/passport/admin/users/invitations', { email })

const samples: Record<string, Sample> = {
  createRole: {
    request: () => ({ body: { name: 'Audit.Created', description: 'd' } }),
    events: [['role.created', 'after']],
  },
  putRole: {
    request: async (service) => {
      await createTestRole(service, 'Audit.Changed')
      return { params: { name: 'Audit.Changed' }, body: { description: 'other' } }
    },
    events: [['role.changed', 'both']],
  },
  deleteRole: {
    request: async (service) => {
      await createTestRole(service, 'Audit.Deleted')
      return { params: { name: 'Audit.Deleted' }, query: {} }
    },
    events: [['role.deleted', 'before']],
  },
  createClient: {
    request: () => ({ body: { clientName: 'Audit created', redirectUris: ['https://shop.example/callback'] } }),
    events: [['client.created', 'after']],
  },
  putClient: {
    request: async (service) => {
      const { client } = await createTestClient(service, 'Audit changed')
      return { params: { clientId: client.clientId }, body: { ...client, clientName: 'Audit changed twice' } }
    },
    events: [['client.changed', 'both']],
  },
  deleteClient: {
    request: async (service) => {
      const { client } = await createTestClient(service, 'Audit deleted')
      return { params: { clientId: client.clientId } }
    },
    events: [['client.deleted', 'before']],
  },
  restoreClient: {
    request: async (service) => {
      const { client } = await createTestClient(service, 'Audit restored')
      const params = { clientId: client.clientId }
      await (await service.as('ada')).call(deleteClient, { params })
      return { params }
    },
    events: [['client.restored', 'after']],
  },
  createClientSecret: {
    request: async (service) => {
      const { client } = await createTestClient(service, 'Audit secret')
      return { params: { clientId: client.clientId } }
    },
    events: [['client.secret-created', 'after']],
  },
  deleteClientSecret: {
    request: async (service) => {
      const { client } = await createTestClient(service, 'Audit old secret')
      const path = `/passport/admin/identity/clients/${client.clientId}/secrets`
      const { secretId } = await post<{ secretId: string }>(service, path, {})
      return { params: { clientId: client.clientId, secretId } }
    },
    events: [['client.secret-deleted', 'before']],
  },
  createPersonalToken: {
    request: () => ({ body: { name: 'Audit', scopes: ['api_vertex_core'], expiresInDays: 1 } }),
    events: [['personal-token.created', 'after']],
  },
  createAwsProduct: {
    request: () => ({ body: newAwsProduct('audit-created') }),
    events: [['aws-product.created', 'after']],
  },
  putAwsProduct: {
    request: async (service) => {
      const product = await createTestAwsProduct(service, 'audit-changed')
      const dimensions = [{ key: 'seats', kind: 'entitled', entitlementKey: null, unit: null }]
      return { params: { productId: product.id }, body: { ...product, dimensions, name: 'Other' } }
    },
    events: [['aws-product.changed', 'both']],
  },
  deleteAwsProduct: {
    request: async (service) => {
      const { id } = await createTestAwsProduct(service, 'audit-deleted')
      return { params: { productId: id } }
    },
    events: [['aws-product.deleted', 'before']],
  },
  restoreAwsProduct: {
    request: async (service) => {
      const { id } = await createTestAwsProduct(service, 'audit-restored')
      await (await service.as('ada')).fetch(`/passport/admin/awsproducts/${id}`, { method: 'DELETE' })
      return { params: { productId: id } }
    },
    events: [['aws-product.restored', 'after']],
  },
  redriveAwsEvent: {
    request: async (service) => {
      await service.sql`
        insert into aws_events (id, source, event_id, detail_type, event_time, payload, status)
        values ('audited', 'eventbridge', 'audited', 'License Updated - Manufacturer', now(), '{}', 'unmatched')`
      return { params: { eventId: 'audited' } }
    },
    events: [['aws-event.redriven', 'both']],
  },
  createIdentityApi: {
    request: () => ({ body: newApi('audit-created') }),
    events: [['identity-api.created', 'after']],
  },
  putIdentityApi: {
    request: async (service) => {
      const api = await createTestApi(service, 'audit-changed')
      return { params: { apiId: api.id }, body: { ...api, tokenLifetimeSec: 600 } }
    },
    events: [['identity-api.changed', 'both']],
  },
  importApiScopes: {
    request: async (service) => {
      const { id } = await createTestApi(service, 'audit-imported')
      const securityDefinitions = { a: { type: 'oauth2', scopes: { 'audit-imported.read': 'Read' } } }
      return { params: { apiId: id }, body: { document: JSON.stringify({ swagger: '2.0', securityDefinitions }) } }
    },
    events: [['identity-api.changed', 'both']],
  },
  putBranding: {
    request: () => ({ body: { name: 'Audit', logo: null, favicon: null, accent: null, supportUrl: null } }),
    events: [['branding.changed', 'both']],
  },
  putOrgBranding: {
    request: async (service) => {
      const { id } = await post<{ id: string }>(service, '/passport/admin/orgs', { name: 'Audit branding' })
      return { params: { orgId: id }, body: { name: 'Audited', logo: null } }
    },
    events: [['org.branding-changed', 'both']],
  },
  putCorsStack: {
    request: () => ({ params: { stack: 'audited' }, body: { origins: ['https://audited.example'] } }),
    events: [['cors.changed', 'both']],
  },
  putContent: {
    request: async (service) => ({
      ...(await createTestContent(service, 'da')),
      body: { title: 'T', body: 'Second' },
    }),
    events: [['content.changed', 'both']],
  },
  publishContent: { request: (service) => createTestContent(service, 'fi'), events: [['content.published', 'after']] },
  revertContent: {
    request: async (service) => {
      const parts = await createTestContent(service, 'fr', true)
      await (await service.as('ada')).call(putContent, { ...parts, body: { title: 'T', body: 'Second' } })
      return parts
    },
    events: [['content.draft-discarded', 'both']],
  },
  deleteContent: { request: (service) => createTestContent(service, 'it'), events: [['content.deleted', 'before']] },
  restoreContent: {
    request: async (service) => {
      const parts = await createTestContent(service, 'nl')
      await (await service.as('ada')).call(deleteContent, parts)
      return parts
    },
    events: [['content.restored', 'after']],
  },
  createEntitlement: {
    request: async (service) => {
      const org = await post<{ id: string }>(service, '/passport/admin/orgs', { name: 'Audit granted' })
      const grants = [{ orgId: org.id, quantity: 5 }]
      return { body: { key: 'audit.created', name: 'Audit', kind: 'quantity', unit: 'seats', grants } }
    },
    events: [
      ['entitlement.created', 'after'],
      ['entitlement.granted', 'after'],
    ],
  },
  putEntitlement: {
    request: async (service) => {
      const entitlement = await createTestEntitlement(service, 'audit.changed')
      const params = { entitlementId: entitlement.id }
      return { params, query: {}, body: { ...entitlement, name: 'Changed' } }
    },
    events: [['entitlement.changed', 'both']],
  },
  deleteEntitlement: {
    request: async (service) => {
      const { id } = await createTestEntitlement(service, 'audit.deleted')
      return { params: { entitlementId: id }, query: {} }
    },
    events: [['entitlement.deleted', 'before']],
  },
  restoreEntitlement: {
    request: async (service) => {
      const { id } = await createTestEntitlement(service, 'audit.restored')
      await (await service.as('ada')).fetch(`/passport/admin/entitlements/${id}`, { method: 'DELETE' })
      return { params: { entitlementId: id } }
    },
    events: [['entitlement.restored', 'after']],
  },
  createGrant: {
    request: async (service) => {
      const { id } = await createTestEntitlement(service, 'audit.granted')
      const org = await post<{ id: string }>(service, '/passport/admin/orgs', { name: 'Audit granted too' })
      return { params: { entitlementId: id }, query: {}, body: { orgId: org.id, quantity: 1 } }
    },
    events: [['entitlement.granted', 'after']],
  },
  putGrant: {
    request: async (service) => {
      const parts = await createTestGrant(service, 'audit.grant')
      const grant = await (await service.as('ada')).call(getGrant, parts)
      return { ...parts, body: { ...grant, quantity: 2 } }
    },
    events: [['entitlement.grant-changed', 'both']],
  },
  closeGrant: {
    request: async (service) => createTestGrant(service, 'audit.closed'),
    events: [['entitlement.grant-closed', 'both']],
  },
  deleteIdentityApi: {
    request: async (service) => {
      const { id } = await createTestApi(service, 'audit-deleted')
      return { params: { apiId: id } }
    },
    events: [['identity-api.deleted', 'before']],
  },
  restoreIdentityApi: {
    request: async (service) => {
      const { id } = await createTestApi(service, 'audit-restored')
      await (await service.as('ada')).fetch(`/passport/admin/identity/apis/${id}`, { method: 'DELETE' })
      return { params: { apiId: id } }
    },
    events: [['identity-api.restored', 'after']],
  },
  addRoleMembers: {
    request: async (service) => ({
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [(await service.as('eve')).id, (await service.as('max')).id] },
    }),
    events: [
      ['role.granted', 'after'],
      ['role.granted', 'after'],
    ],
  },
  removeRoleMembers: {
    request: async (service) => ({
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [(await service.as('eve')).id] },
    }),
    events: [['role.taken', 'before']],
  },
  createInvitation: {
    request: () => ({ body: { email: 'created@harbour.example' } }),
    events: [
      ['invitation.sent', 'after'],
      ['user.created', 'after'],
      ['user.enrolment-link-created', 'after'],
    ],
  },
  resendInvitation: {
    request: async (service) => ({
      params: { invitationId: (await createTestInvitation(service, 'again@harbour.example')).id },
    }),
    events: [
      ['invitation.resent', 'both'],
      ['user.enrolment-link-created', 'after'],
    ],
  },
  revokeInvitation: {
    request: async (service) => ({
      params: { invitationId: (await createTestInvitation(service, 'no@harbour.example')).id },
    }),
    events: [
      ['invitation.revoked', 'before'],
      ['user.deleted', 'before'],
    ],
  },
  ...orgSamples,
  ...permissionSamples,
  putProfile: {
    request: () => ({ params: { profileId: 'me' }, body: { displayname: 'Ada', username: 'ada.l' } }),
    events: [['profile.changed', 'both']],
  },
  putNoticeSettings: {
    request: () => ({ body: { newDevice: false } }),
    events: [['notice.settings-changed', 'both']],
  },
  putDisplayName: {
    request: () => ({ params: { profileId: 'me' }, body: 'Countess' }),
    events: [['profile.changed', 'both']],
  },
  claimUsername: {
    request: () => ({ params: { profileId: 'me' }, body: 'countess' }),
    events: [['profile.changed', 'both']],
  },
  uploadAvatar: {
    request: async () => ({ params: { profileId: 'me' }, body: { glb: new File([createModel()], 'avatar') } }),
    events: [['profile.avatar-changed', 'both']],
  },
  putAvatarPngUrl: {
    request: async (service) => ({ params: { profileId: 'me' }, body: (await createTestAvatar(service)).pngUrl }),
    events: [['profile.avatar-changed', 'both']],
  },
  putAvatarGlbUrl: {
    request: async (service) => ({ params: { profileId: 'me' }, body: (await createTestAvatar(service)).glbUrl }),
    events: [['profile.avatar-changed', 'both']],
  },
  deleteAvatarPngUrl: {
    as: 'eve',
    request: async (service) => {
      await createTestAvatar(service)
      return { params: { profileId: 'me' } }
    },
    events: [['profile.avatar-changed', 'both']],
  },
  deleteAvatarGlbUrl: {
    as: 'eve',
    request: async (service) => {
      await createTestAvatar(service)
      return { params: { profileId: 'me' } }
    },
    events: [['profile.avatar-changed', 'both']],
  },
  putAuditRetention: { request: () => ({ body: { days: 400 } }), events: [['audit.retention-changed', 'both']] },
  putPreference: {
    as: 'eve',
    request: () => ({ params: { userId: 'me', key: 'theme' }, body: 'dark' }),
    events: [['preference.saved', 'after']],
  },
  deletePreference: {
    as: 'eve',
    request: async (service) => {
      const params = { userId: 'me', key: 'gone' }
      await sendRequest(service, 'eve', 'putPreference', { params, body: 'dark' })
      return { params }
    },
    events: [['preference.removed', 'before']],
  },
  deletePreferenceVersions: {
    as: 'eve',
    request: async (service) => {
      const params = { userId: 'me', key: 'forgotten' }
      for (const body of ['dark', 'light']) await sendRequest(service, 'eve', 'putPreference', { params, body })
      return { params }
    },
    events: [['preference.history-deleted', 'before']],
  },
  createGroup: { request: () => ({ body: { name: 'Created' } }), events: [['group.created', 'after']] },
  putGroup: {
    request: async () => ({ params: { groupId: await createTestGroup() }, body: { name: 'Renamed' } }),
    events: [['group.changed', 'both']],
  },
  deleteGroup: {
    request: async () => ({ params: { id: await createTestGroup() } }),
    events: [['group.deleted', 'before']],
  },
  restoreGroup: {
    request: async () => {
      const params = { id: await createTestGroup() }
      await sendRequest(service, 'ada', 'deleteGroup', { params })
      return { params, body: {} }
    },
    events: [['group.restored', 'after']],
  },
  addGroupMembers: {
    request: async () => ({
      params: { groupId: await createTestGroup() },
      body: { members: [(await service.as('eve')).id] },
    }),
    events: [['group.members-added', 'both']],
  },
  removeGroupMembers: {
    request: async () => {
      const { id } = await service.as('eve')
      return { params: { groupId: await createTestGroup({ members: [id] }) }, body: { members: [id] } }
    },
    events: [['group.members-removed', 'both']],
  },
  addGroupOwners: {
    request: async () => ({
      params: { groupId: await createTestGroup() },
      body: { owners: [(await service.as('eve')).id] },
    }),
    events: [['group.owners-added', 'both']],
  },
  removeGroupOwners: {
    request: async () => {
      const { id } = await service.as('eve')
      return { params: { groupId: await createTestGroup({ owners: [id] }) }, body: { owners: [id] } }
    },
    events: [['group.owners-removed', 'both']],
  },
  putGroupRoles: {
    request: async () => ({ params: { groupId: await createTestGroup() }, body: { roles: ['Passport.Developer'] } }),
    events: [['group.roles-changed', 'both']],
  },
}

/** Creates a group with a unique name, as ada. */
async function createTestGroup(users: { members?: string[]; owners?: string[] } = {}): Promise<string> {
  const { call } = await service.as('ada')
  return (await call(createGroup, { body: { name: crypto.randomUUID(), ...users } })).id
}

/** Returns a request factory that first inserts a user, optionally disabled or deleted. */
const requestForNewUser =
  (body?: unknown, state?: string): Sample['request'] =>
  async ({ sql }) => {
    const userId = crypto.randomUUID()
    await sql`
      insert into users (id, display_name, disabled_at, deleted_at)
      values (${userId}, 'Someone', ${state === 'disabled' ? new Date().toISOString() : null}, ${state === 'deleted' ? new Date().toISOString() : null})`
    return { params: { userId }, query: {}, body }
  }

/** Returns a request factory that uploads an import file with one user and, with `isApplied`, applies it. */
const requestForNewImport =
  (isApplied: boolean): Sample['request'] =>
  async (service) => {
    const ada = await service.as('ada')
    const body = `displayname\n${crypto.randomUUID()}`
    const { importId } = await ada.call(imports.createUserImport, { body })
    const params = { importId }
    if (!isApplied) return { params }
    await ada.call(imports.applyUserImport, { params })
    await processImport(service.sql, importId)
    await expect.poll(async () => (await ada.call(imports.getUserImport, { params })).state).toBe('applied')
    return { params }
  }

Object.assign(samples, {
  createUser: {
    request: () => ({ query: {}, body: { displayname: 'Someone' } }),
    events: [['user.created', 'after']],
  },
  updateUser: {
    request: requestForNewUser({ displayname: 'Other', username: null, email: null, emailVerified: false }),
    events: [['user.changed', 'both']],
  },
  deleteUser: { request: requestForNewUser(), events: [['user.deleted', 'before']] },
  restoreUser: { request: requestForNewUser({}, 'deleted'), events: [['user.restored', 'after']] },
  setUserRoles: { request: requestForNewUser({ roles: ['Passport.Developer'] }), events: [['role.granted', 'after']] },
  disableUser: { request: requestForNewUser(), events: [['user.disabled', 'both']] },
  enableUser: { request: requestForNewUser(undefined, 'disabled'), events: [['user.enabled', 'both']] },
  lockDownUser: { request: requestForNewUser(), events: [['user.locked-down', 'both']] },
  signOutUser: { request: requestForNewUser(), events: [['signout.everywhere', 'after']] },
  createEnrolmentLink: {
    request: async (service) => {
      const sample = await requestForNewUser()(service)
      await service.sql`update users set username = 'enrolling' where id = ${sample.params?.['userId'] ?? ''}`
      return sample
    },
    events: [['user.enrolment-link-created', 'after']],
  },
  resetUserPassword: {
    request: async (service) => ({ params: { userId: (await service.as('dev')).id } }),
    events: [['directory.password-set', 'neither']],
  },
  bulkChangeUsers: {
    request: async (service) => {
      const { params } = await requestForNewUser()(service)
      return { body: { action: 'disable', ids: [params?.['userId']] } }
    },
    events: [['user.disabled', 'both']],
  },
  undoBulkChange: {
    request: async (service) => {
      const { params } = await requestForNewUser()(service)
      const ada = await service.as('ada')
      const { undoToken } = await ada.call(bulk.bulkChangeUsers, {
        body: { action: 'disable', ids: [params?.['userId'] ?? ''] },
      })
      return { body: { undoToken } }
    },
    events: [['user.enabled', 'both']],
  },
  createUserImport: {
    request: () => ({ body: `displayname\n${crypto.randomUUID()}` }),
    events: [['users.import-checked', 'after']],
  },
  applyUserImport: {
    request: requestForNewImport(false),
    events: [
      ['user.created', 'after'],
      ['users.imported', 'after'],
    ],
  },
  undoUserImport: {
    request: requestForNewImport(true),
    events: [
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

test('every write endpoint, and no other, is sampled or exempt', () => {
  const known = [...Object.keys(samples), ...Object.keys(exempt)]
  expect(known.sort()).toEqual(writes.sort())
})

test.for(Object.entries(samples))(
  '%s records its audit events with the caller and the address',
  async ([name, { as = 'ada', request, events }]) => {
    const parts = await request(service)
    const traceId = await sendRequest(service, as, name, parts)
    const { id } = await service.as(as)
    const readEvents = () => service.sql`
    select action, actor_id as actor, before, after, ip from audit_events where trace_id = ${traceId} order by at, id`
    // Some events are recorded after the response.
    await expect
      .poll(async () =>
        (await readEvents()).map(({ action, before, after }) => [action, describeSides(before, after)]).sort(),
      )
      .toEqual(events.sort())
    const recorded = await readEvents()
    for (const { actor, ip } of recorded) expect({ actor, ip }).toEqual({ actor: id, ip: '127.0.0.1' })
  },
)

function describeSides(before: unknown, after: unknown) {
  if (before && after) return 'both'
  return before ? 'before' : after ? 'after' : 'neither'
}

/** Sends a request and returns its trace id, which identifies its audit events. */
async function sendRequest(service: TestService, user: UserName, name: string, parts: Parts): Promise<string> {
  const endpoint = endpoints.get(name)
  if (!endpoint) throw new Error(`Unknown endpoint: ${name}`)
  const { cookie } = await service.as(user)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const call = createApiCall(service.url, (request) => {
    request.headers.set('cookie', cookie)
    request.headers.set('sec-fetch-site', 'same-origin')
    request.headers.set('traceparent', `00-${traceId}-0123456789abcdef-01`)
    return fetch(request)
  })
  await call(endpoint, parts as never)
  return traceId
}
