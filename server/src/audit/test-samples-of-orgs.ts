import { createJoinLink, type NewJoinLink } from '@passport/contract/join'
import { createOrg, deleteOrg } from '@passport/contract/orgs'
import * as orgs from '../orgs/store.ts'
import type { TestService } from '../test-service.ts'
import type { Sample } from './test-samples.ts'

/** An organisation of eve, its owner, and dev, with a domain. */
async function someOrg(service: TestService) {
  const [ada, eve, dev] = await Promise.all([service.as('ada'), service.as('eve'), service.as('dev')])
  const { id } = await ada.call(createOrg, { body: { name: 'Contoso', domains: ['contoso.example'] } })
  await orgs.addMembers(service.sql, id, [eve.id], { role: 'owner', by: ada.id })
  await orgs.addMembers(service.sql, id, [dev.id], { role: 'member', by: ada.id })
  return { orgId: id, ada, eve, dev }
}

async function someLink(service: TestService): Promise<NewJoinLink> {
  const { orgId, ada } = await someOrg(service)
  return ada.call(createJoinLink, { body: { kind: 'org', targetId: orgId } })
}

const adding: Sample = {
  sends: async (service) => {
    const { orgId, ada } = await someOrg(service)
    return { params: { orgId }, query: {}, body: { members: [ada.id] } }
  },
  leaves: [['org.member-added', 'after']],
}
const removing: Sample = {
  sends: async (service) => {
    const { orgId, dev } = await someOrg(service)
    return { params: { orgId }, query: {}, body: { members: [dev.id] } }
  },
  leaves: [['org.member-removed', 'before']],
}
const changing: Sample = {
  sends: async (service) => {
    const { orgId, dev } = await someOrg(service)
    return { params: { orgId, userId: dev.id }, query: {}, body: { role: 'admin' } }
  },
  leaves: [['org.member-changed', 'both']],
}

/** What the writes of organisations and of links into them leave. */
export const samplesOfOrgs: Record<string, Sample> = {
  createOrg: { sends: () => ({ body: { name: 'Contoso' } }), leaves: [['org.created', 'after']] },
  putOrg: {
    sends: async (service) => {
      const { orgId } = await someOrg(service)
      return { params: { orgId }, body: { name: 'Fabrikam', slug: 'fabrikam' } }
    },
    leaves: [['org.changed', 'both']],
  },
  deleteOrg: {
    sends: async (service) => ({ params: { orgId: (await someOrg(service)).orgId }, query: {} }),
    leaves: [['org.deleted', 'before']],
  },
  restoreOrg: {
    sends: async (service) => {
      const { orgId, ada } = await someOrg(service)
      await ada.call(deleteOrg, { params: { orgId }, query: {} })
      return { params: { orgId }, query: {}, body: {} }
    },
    leaves: [['org.restored', 'both']],
  },
  addOrgMembers: adding,
  addOwnOrgMembers: { ...adding, as: 'eve' },
  removeOrgMembers: removing,
  removeOwnOrgMembers: { ...removing, as: 'eve' },
  putOrgMember: changing,
  putOwnOrgMember: { ...changing, as: 'eve' },
  addOrgDomain: {
    sends: async (service) => {
      const { orgId } = await someOrg(service)
      return { params: { orgId }, body: { domain: 'fabrikam.example' } }
    },
    leaves: [['org.domain-added', 'after']],
  },
  deleteOrgDomain: {
    sends: async (service) => ({ params: { orgId: (await someOrg(service)).orgId, domain: 'contoso.example' } }),
    leaves: [['org.domain-removed', 'before']],
  },
  createJoinLink: {
    as: 'eve',
    sends: async (service) => ({ body: { kind: 'org', targetId: (await someOrg(service)).orgId } }),
    leaves: [['join-link.created', 'after']],
  },
  stopJoinLink: {
    sends: async (service) => ({ params: { linkId: (await someLink(service)).id } }),
    leaves: [['join-link.stopped', 'before']],
  },
  acceptInvitation: {
    sends: async (service) => {
      const { url } = await someLink(service)
      return { params: { id: new URL(url).pathname.slice('/join/'.length) } }
    },
    leaves: [['join-link.accepted', 'after']],
  },
}
