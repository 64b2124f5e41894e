import * as api from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import type { ParsedRequest } from '@passport/contract/endpoint'
import { devTokensClientId } from '../clients/registered.ts'
import type { Feature } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import * as products from '../marketplace/product-store.ts'
import { describeRealm } from './realm.ts'
import { serveTenants } from './serve-tenants.ts'

type DiscoveryQuery = ParsedRequest<typeof api.discover>['query']

/** The metadata that a client needs before sign-in. */
export const discovery: Feature = (routes, services) => {
  const { serve } = routes
  const { branding, config, clients, http, sql } = services
  serveTenants(routes, services)
  const { publicUrl, stack } = config
  const authority = config.authority ?? publicUrl
  serve(api.discover, async ({ query, cookies }) => ({
    ...(await findRequestedRealm(query, cookies)),
    brandName: branding.current().name,
    stack,
    supportContact: branding.current().supportContact,
    authority,
    issuer: authority,
    openidConfiguration: `${authority.replace(/\/$/, '')}/.well-known/openid-configuration`,
    apiVersions: ['1'],
    identityProviders: config.identityProviders.map(({ id, name, kind }) => ({ id, name, kind })),
    features: {
      deviceFlow: !config.authority,
      devTokens: !config.authority && (await clients.find(devTokensClientId)) !== undefined,
      awsMarketplace: config.awsMarketplace !== undefined && (await products.hasEnabled(sql)),
      metaHorizon: config.meta !== undefined,
    },
  }))

  /** Returns the realm of a query, which names the organisation to signed-in users only. */
  async function findRequestedRealm({ domain, email }: DiscoveryQuery, cookies: Cookies) {
    const requestedDomain = domain ?? (email === undefined ? undefined : domainOfEmail(email))
    if (requestedDomain === undefined) return {}
    const realm = await describeRealm(sql, config, requestedDomain)
    const session = cookies.get(http.sessionCookie)
    const isSignedIn = session !== undefined && (await http.identify.bySession(session)) !== undefined
    return { realm: isSignedIn ? realm : { ...realm, org: null } }
  }
}
