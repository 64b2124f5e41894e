import type { EndpointPath } from '@passport/contract/api'
import type { RegisteredRouter } from '@tanstack/react-router'

type Redirect = '/admin/bin' | '/admin/tools' | '/admin/entitlements/$entitlementId'
/** The path of a page for administrators, as in the table of routes. */
type AdminPath = Exclude<Extract<keyof RegisteredRouter['routesByPath'], `/admin/${string}`>, Redirect>

const audit = '/passport/admin/audit'
const user = '/passport/admin/users/{userId}'
const org = '/passport/admin/orgs/{orgId}'
const role = '/passport/admin/roles/{name}'
const group = '/passport/groups/{id}'
const client = '/passport/admin/identity/clients/{clientId}'
const api = '/passport/admin/identity/apis/{apiId}'
const entitlement = '/passport/admin/entitlements/{entitlementId}'
const subscription = '/passport/admin/awssubscriptions/{subscriptionId}'
const tenant = '/passport/admin/tools/tenantdiscovery'
const schema = '/passport/admin/tools/permissions/schema'

/**
 * The call that each page for administrators copies as cURL: the first of these endpoints that the page has loaded, with
 * its parameters and filters. A form that creates a record has none. A tab whose data no application may read has the
 * call of its record. A page without an entry does not compile.
 */
export const pageCalls: Record<AdminPath, readonly EndpointPath[]> = {
  '/admin/users': ['/passport/admin/users'],
  '/admin/users/create': [],
  '/admin/users/import': ['/passport/admin/users/imports/{importId}', '/passport/admin/users/imports'],
  '/admin/users/invitations': ['/passport/admin/users/invitations'],
  '/admin/users/invitations/create': [],
  '/admin/users/$userId': [user],
  '/admin/users/$userId/access': [`${user}/access`],
  '/admin/users/$userId/logins': [user],
  '/admin/users/$userId/sessions': [`${user}/sessions`],
  '/admin/users/$userId/preferences': [user],
  '/admin/users/$userId/activity': [audit],
  '/admin/roles': ['/passport/admin/roles'],
  '/admin/roles/create': [],
  '/admin/roles/$name': [role],
  '/admin/roles/$name/activity': [audit],
  '/admin/health': ['/passport/admin/health'],
  '/admin/audit': [audit],
  '/admin/audit/signins': [audit],
  '/admin/audit/signins/trace': ['/passport/admin/signintraces/{supportCode}', '/passport/admin/signintraces'],
  '/admin/trash': ['/passport/admin/trash'],
  '/admin/branding': ['/passport/admin/branding'],
  '/admin/cors': ['/passport/admin/cors'],
  '/admin/mail': ['/passport/admin/mail/kinds/{kind}', '/passport/admin/mails'],
  '/admin/content': ['/passport/admin/content/{slug}', '/passport/admin/content'],
  '/admin/orgs': ['/passport/admin/orgs'],
  '/admin/orgs/createentra': [org, tenant],
  '/admin/orgs/create': [],
  '/admin/orgs/$orgId': [org],
  '/admin/orgs/$orgId/members': [`${org}/members`],
  '/admin/orgs/$orgId/domains': [org],
  '/admin/orgs/$orgId/entra': [org],
  '/admin/orgs/$orgId/provisioning': [`${org}/scim`, org],
  '/admin/orgs/$orgId/joinlinks': [org],
  '/admin/orgs/$orgId/entitlements': [`${org}/entitlements`],
  '/admin/orgs/$orgId/activity': [audit],
  '/admin/groups': ['/passport/groups'],
  '/admin/groups/create': [],
  '/admin/groups/$groupId': [group],
  '/admin/groups/$groupId/owners': ['/passport/groups/{groupId}/owners'],
  '/admin/groups/$groupId/roles': [group],
  '/admin/groups/$groupId/joinlinks': [group],
  '/admin/groups/$groupId/settings': [group],
  '/admin/groups/$groupId/activity': [audit],
  '/admin/identity/clients': ['/passport/admin/identity/clients'],
  '/admin/identity/clients/create': [],
  '/admin/identity/clients/$clientId': [client],
  '/admin/identity/clients/$clientId/activity': [audit],
  '/admin/identity/apis': ['/passport/admin/identity/apis'],
  '/admin/identity/apis/$apiId': [api],
  '/admin/identity/apis/$apiId/activity': [audit],
  '/admin/entitlements': ['/passport/admin/entitlements'],
  '/admin/entitlements/create': [],
  '/admin/entitlements/$entitlementId/edit': [`${entitlement}/grants`],
  '/admin/entitlements/$entitlementId/usage': [`${entitlement}/usage`],
  '/admin/entitlements/$entitlementId/ledger': [`${entitlement}/ledger`],
  '/admin/entitlements/$entitlementId/settings': [entitlement],
  '/admin/entitlements/$entitlementId/activity': [audit],
  '/admin/awsproducts': ['/passport/admin/awsproducts'],
  '/admin/awsproducts/create': [],
  '/admin/awsproducts/$productId': ['/passport/admin/awsproducts/{productId}'],
  '/admin/awssubscriptions': [
    '/passport/admin/awssubscriptions',
    '/passport/admin/awsevents',
    '/passport/admin/awssimulator',
  ],
  '/admin/awssubscriptions/create': [],
  '/admin/awssubscriptions/$subscriptionId': [subscription],
  '/admin/awssubscriptions/$subscriptionId/usage': [`${subscription}/usage/summary`],
  '/admin/tools/tenantDiscovery': [tenant],
  '/admin/tools/permissions': [schema],
  '/admin/tools/permissions/check': ['/passport/admin/tools/permissions/check', schema],
  '/admin/tools/permissions/lookupResources': ['/passport/admin/tools/permissions/lookupresources', schema],
  '/admin/tools/permissions/lookupSubjects': ['/passport/admin/tools/permissions/lookupsubjects', schema],
  '/admin/tools/relations': ['/passport/admin/tools/relations', '/passport/admin/tools/permissions/history', schema],
}
