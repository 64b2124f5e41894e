import * as accounts from './accounts.ts'
import * as audit from './audit.ts'
import * as avatar from './avatar.ts'
import * as awsEvents from './aws-events.ts'
import * as awsProducts from './aws-products.ts'
import * as awsSimulator from './aws-simulator.ts'
import * as awsSubscriptions from './aws-subscriptions.ts'
import * as awsUsage from './aws-usage.ts'
import * as branding from './branding.ts'
import * as clientSignInTest from './client-sign-in-test.ts'
import * as clients from './clients.ts'
import * as connections from './connections.ts'
import * as content from './content.ts'
import * as cors from './cors.ts'
import * as currentUser from './current-user.ts'
import * as developerTokens from './developer-tokens.ts'
import * as deviceAuthorization from './device-authorization.ts'
import * as discovery from './discovery.ts'
import type { Endpoint } from './endpoint.ts'
import * as enrolment from './enrolment.ts'
import * as entitlementGrants from './entitlement-grants.ts'
import * as entitlementUsage from './entitlement-usage.ts'
import * as entitlements from './entitlements.ts'
import * as entra from './entra.ts'
import * as groups from './groups.ts'
import * as health from './health.ts'
import * as identityApis from './identity-apis.ts'
import * as info from './info.ts'
import * as invitations from './invitations.ts'
import * as join from './join.ts'
import * as mail from './mail.ts'
import * as marketplace from './marketplace.ts'
import * as notices from './notices.ts'
import * as orgDomains from './org-domains.ts'
import * as orgs from './orgs.ts'
import * as overview from './overview.ts'
import * as permissions from './permissions.ts'
import * as personalTokens from './personal-tokens.ts'
import * as preferences from './preferences.ts'
import * as profile from './profile.ts'
import * as readyPlayerMe from './ready-player-me.ts'
import * as roles from './roles.ts'
import * as scim from './scim.ts'
import * as search from './search.ts'
import * as setup from './setup.ts'
import * as signInTraces from './sign-in-traces.ts'
import * as tenantDiscovery from './tenant-discovery.ts'
import * as trash from './trash.ts'
import * as userBulk from './user-bulk.ts'
import * as userImports from './user-imports.ts'
import * as users from './users.ts'

/** The contract of every feature, keyed by the feature's name. */
const features = {
  'current-user': currentUser,
  accounts,
  preferences,
  roles,
  invitations,
  enrolment,
  orgs: { ...orgs, ...orgDomains },
  entra,
  setup,
  join,
  'developer-tokens': developerTokens,
  'device-authorization': deviceAuthorization,
  'personal-tokens': personalTokens,
  notices,
  groups,
  branding,
  clients: { ...clients, ...clientSignInTest },
  'identity-apis': identityApis,
  connections,
  content,
  marketplace: { ...marketplace, ...awsProducts, ...awsEvents, ...awsSimulator, ...awsSubscriptions, ...awsUsage },
  entitlements: { ...entitlements, ...entitlementGrants, ...entitlementUsage },
  discovery: { ...discovery, ...tenantDiscovery },
  info,
  cors,
  audit,
  'sign-in-traces': signInTraces,
  profile: { ...profile, ...avatar, ...readyPlayerMe },
  scim,
  trash,
  search,
  permissions,
  health,
  mail,
  overview,
  users: { ...users, ...userBulk, ...userImports },
}

type Exported = (typeof features)[keyof typeof features]
type PathOf<F> = F extends unknown ? Extract<F[keyof F], { method: string; path: string }>['path'] : never
/** The path of an endpoint. */
export type EndpointPath = PathOf<Exported>

/** Every endpoint, keyed by its OpenAPI operation id, which generated clients use. */
export const endpoints = new Map<string, Endpoint & { feature: string }>()

for (const [feature, exported] of Object.entries(features)) {
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value === 'object' && 'method' in value) endpoints.set(name, { ...value, feature })
  }
}
