import * as api from '@passport/contract/discovery'
import type { Room } from '../room.ts'

/** What a client must know before anyone signs in. */
export const discovery: Room = ({ serve }, { config }) => {
  const { publicUrl, brandName, stack } = config
  serve(api.discover, () => ({
    brandName,
    stack,
    authority: publicUrl,
    issuer: publicUrl,
    openidConfiguration: `${publicUrl}/.well-known/openid-configuration`,
    apiVersions: ['1'],
    identityProviders: config.identityProviders.map(({ id, name, kind }) => ({ id, name, kind })),
    features: { deviceFlow: false, devTokens: false, awsMarketplace: false, metaHorizon: false },
  }))
}
