import type { Endpoint } from '@passport/contract/endpoint'
import * as api from '@passport/contract/orgs'

/** The area of the console that manages an organisation: administration, or the account of its owners and admins. */
export interface OrgArea {
  isAdmin: boolean
  list: { to: '/admin/orgs' | '/account/orgs'; label: string }
  page: '/admin/orgs/$orgId' | '/account/orgs/$orgId'
  get: typeof api.getOrg
  listMembers: typeof api.listOrgMembers
  addMembers: typeof api.addOrgMembers
  removeMembers: typeof api.removeOrgMembers
  putMember: typeof api.putOrgMember
}

export const adminArea: OrgArea = {
  isAdmin: true,
  list: { to: '/admin/orgs', label: 'Organisations' },
  page: '/admin/orgs/$orgId',
  get: api.getOrg,
  listMembers: api.listOrgMembers,
  addMembers: api.addOrgMembers,
  removeMembers: api.removeOrgMembers,
  putMember: api.putOrgMember,
}

/** Types an endpoint of the account as its counterpart for administrators: they differ only in path and access. */
const asEndpoint = <E extends Endpoint>(endpoint: Endpoint): E => endpoint as E

export const accountArea: OrgArea = {
  isAdmin: false,
  list: { to: '/account/orgs', label: 'Organisations' },
  page: '/account/orgs/$orgId',
  get: asEndpoint(api.getOwnOrg),
  listMembers: asEndpoint(api.listOwnOrgMembers),
  addMembers: asEndpoint(api.addOwnOrgMembers),
  removeMembers: asEndpoint(api.removeOwnOrgMembers),
  putMember: asEndpoint(api.putOwnOrgMember),
}
