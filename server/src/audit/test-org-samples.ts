import { type CreatedJoinLink, createJoinLink } from '@passport/contract/join'
import { createOrg, deleteOrg } from '@passport/contract/orgs'
import * as orgs from '../orgs/store.ts'
import type { TestService } from '../test-service.ts'
import type { Sample } from './test-samples.ts'

/** Creates an organisation with eve as owner, dev as member, and a domain. */
async function createTestOrg(service: TestService) {
  const [ada, eve, dev] = await Promise.all([service.as('ada'), service.as('eve'), service.as('dev')])
  const { id } = await ada.call(createOrg, { body: { name: 'Contoso', domains: ['contoso.example'] } })
  await orgs.addMembers(service.sql, id, [eve.id], { role: 'owner', addedBy: ada.id })
  await orgs.addMembers(service.sql, id, [dev.id], { role: 'member', addedBy: ada.id })
  return { orgId: id, ada, eve, dev }
}

async function createTestLink(service: TestService): Promise<CreatedJoinLink> {
  const { orgId, ada } = await createTestOrg(service)
  return ada.call(createJoinLink, { body: { kind: 'org', targetId: orgId } })
}

const addMember: Sample = {
  request: async (service) => {
    const { orgId, ada } = await createTestOrg(service)
    return { params: { orgId }, query: {}, body: { members: [ada.id] } }
  },
  events: [['org.member-added', 'after']],
}
const removeMember: Sample = {
  request: async (service) => {
    const { orgId, dev } = await createTestOrg(service)
    return { params: { orgId }, query: {}, body: { members: [dev.id] } }
  },
  events: [['org.member-removed', 'before']],
}
const changeMember: Sample = {
  request: async (service) => {
    const { orgId, dev } = await createTestOrg(service)
    return { params: { orgId, userId: dev.id }, query: {}, body: { role: 'admin' } }
  },
  events: [['org.member-changed', 'both']],
}

/** The writes of organisations and of their join links, with their audit events. */
export const orgSamples: Record<string, Sample> = {
  createOrg: { request: () => ({ body: { name: 'Contoso' } }), events: [['org.created', 'after']] },
  putOrg: {
    request: async (service) => {
      const { orgId } = await createTestOrg(service)
      return { params: { orgId }, body: { name: 'Fabrikam', slug: 'fabrikam' } }
    },
    events: [['org.changed', 'both']],
  },
  deleteOrg: {
    request: async (service) => ({ params: { orgId: (await createTestOrg(service)).orgId }, query: {} }),
    events: [['org.deleted', 'before']],
  },
  restoreOrg: {
    request: async (service) => {
      const { orgId, ada } = await createTestOrg(service)
      await ada.call(deleteOrg, { params: { orgId }, query: {} })
      return { params: { orgId }, query: {}, body: {} }
    },
    events: [['org.restored', 'both']],
  },
  addOrgMembers: addMember,
  addOwnOrgMembers: { ...addMember, as: 'eve' },
  removeOrgMembers: removeMember,
  removeOwnOrgMembers: { ...removeMember, as: 'eve' },
  putOrgMember: changeMember,
  putOwnOrgMember: { ...changeMember, as: 'eve' },
  addOrgDomain: {
    request: async (service) => {
      const { orgId } = await createTestOrg(service)
      return { params: { orgId }, body: { domain: 'fabrikam.example' } }
    },
    events: [['org.domain-added', 'after']],
  },
  deleteOrgDomain: {
    request: async (service) => ({
      params: { orgId: (await createTestOrg(service)).orgId, domain: 'contoso.example' },
    }),
    events: [['org.domain-removed', 'before']],
  },
  createJoinLink: {
    as: 'eve',
    request: async (service) => ({ body: { kind: 'org', targetId: (await createTestOrg(service)).orgId } }),
    events: [['join-link.created', 'after']],
  },
  revokeJoinLink: {
    request: async (service) => ({ params: { linkId: (await createTestLink(service)).id } }),
    events: [['join-link.stopped', 'before']],
  },
  acceptJoinInvitation: {
    request: async (service) => {
      const { url } = await createTestLink(service)
      return { params: { id: new URL(url).pathname.slice('/join/'.length) } }
    },
    events: [['join-link.accepted', 'after']],
  },
}
