import * as api from '@passport/contract/discovery'
import { devTokensClientId } from '../clients/registered.ts'
import type { Room } from '../room.ts'

/** What a client must know before anyone signs in. */
export const discovery: Room = ({ serve }, { config, clients }) => {
  const { publicUrl, brandName, stack } = config
  const authority = config.authority ?? publicUrl
  serve(api.discover, async () => ({
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
}
