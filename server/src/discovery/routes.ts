import * as api from '@passport/contract/discovery'
import { domainOfEmail } from '@passport/contract/domain-name'
import { devTokensClientId } from '../clients/registered.ts'
import type { Visit } from '../http/visit.ts'
import type { Room } from '../room.ts'
import { realmOf } from './realm.ts'

/** What a client must know before anyone signs in. */
export const discovery: Room = ({ serve }, { config, clients, door, sql }) => {
  const { publicUrl, brandName, stack } = config
  const authority = config.authority ?? publicUrl
  // Only who asks for a domain could go through many of them.
  const limit = door.limitAddress({ name: 'discovery', requests: 30, perSeconds: 60 })
  serve(api.discover, async ({ query, visit }) => ({
    ...(await realmAsked(query, visit)),
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

  async function realmAsked(
    { domain, email }: { domain?: string | undefined; email?: string | undefined },
    visit: Visit,
  ) {
    const asked = domain ?? (email === undefined ? undefined : domainOfEmail(email))
    if (asked === undefined) return {}
    await limit(visit)
    return { realm: await realmOf(sql, config, asked) }
  }
}
