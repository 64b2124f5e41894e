import * as api from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { devTokensClientId } from '../clients/registered.ts'
import type { Room } from '../room.ts'
import { realmOf } from './realm.ts'

/** What a client must know before anyone signs in. */
export const discovery: Room = ({ serve }, { config, clients, sql }) => {
  const { publicUrl, brandName, stack } = config
  const authority = config.authority ?? publicUrl
  serve(api.discover, async ({ query }) => ({
    ...(await realmAsked(query)),
    brandName,
    stack,
    authority,
    issuer: authority,
    openidConfiguration: `${authority.replace(/\/$/, '')}/.well-known/openid-configuration`,
    apiVersions: ['1'],
    identityProviders: config.identityProviders.map(({ id, name, kind }) => ({ id, name, kind })),
    features: {
      deviceFlow: !config.authority,
      devTokens: !config.authority && (await clients.find(devTokensClientId)) !== undefined,
      awsMarketplace: false,
      metaHorizon: false,
    },
  }))

  async function realmAsked({ domain, email }: { domain?: string | undefined; email?: string | undefined }) {
    const asked = domain ?? (email === undefined ? undefined : domainOfEmail(email))
    if (asked === undefined) return {}
    return { realm: await realmOf(sql, config, asked) }
  }
}
