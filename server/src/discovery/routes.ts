import * as api from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { devTokensClientId } from '../clients/registered.ts'
import type { Feature } from '../feature.ts'
import * as products from '../marketplace/product-store.ts'
import { describeRealm } from './realm.ts'
import { serveTenants } from './serve-tenants.ts'

/** The metadata that a client needs before sign-in. */
export const discovery: Feature = (routes, services) => {
  const { serve } = routes
  const { branding, config, clients, sql } = services
  serveTenants(routes, services)
  const { publicUrl, stack } = config
  const authority = config.authority ?? publicUrl
  serve(api.discover, async ({ query }) => ({
    ...(await findRequestedRealm(query)),
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

  async function findRequestedRealm({ domain, email }: { domain?: string | undefined; email?: string | undefined }) {
    const requestedDomain = domain ?? (email === undefined ? undefined : domainOfEmail(email))
    if (requestedDomain === undefined) return {}
    return { realm: await describeRealm(sql, config, requestedDomain) }
  }
}
