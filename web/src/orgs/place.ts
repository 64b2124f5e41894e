import type { Endpoint } from '@passport/contract/endpoint'
import * as api from '@passport/contract/orgs'

/** From where an organisation is run: by administrators among all of them, or by its owners and admins in their account. */
export interface OrgPlace {
  isAdmin: boolean
  list: { to: '/admin/orgs' | '/account/orgs'; label: string }
  page: '/admin/orgs/$orgId' | '/account/orgs/$orgId'
  get: typeof api.getOrg
  listMembers: typeof api.listOrgMembers
  addMembers: typeof api.addOrgMembers
  removeMembers: typeof api.removeOrgMembers
  putMember: typeof api.putOrgMember
}

export const adminPlace: OrgPlace = {
  isAdmin: true,
  list: { to: '/admin/orgs', label: 'Organisations' },
  page: '/admin/orgs/$orgId',
  get: api.getOrg,
  listMembers: api.listOrgMembers,
  addMembers: api.addOrgMembers,
  removeMembers: api.removeOrgMembers,
  putMember: api.putOrgMember,
}

/** The calls differ in their paths and in who may make them, in nothing else. */
const likeOf = <E extends Endpoint>(endpoint: Endpoint): E => endpoint as E

export const accountPlace: OrgPlace = {
  isAdmin: false,
  list: { to: '/account/orgs', label: 'Your organisations' },
  page: '/account/orgs/$orgId',
  get: likeOf(api.getOwnOrg),
  listMembers: likeOf(api.listOwnOrgMembers),
  addMembers: likeOf(api.addOwnOrgMembers),
  removeMembers: likeOf(api.removeOwnOrgMembers),
  putMember: likeOf(api.putOwnOrgMember),
}
