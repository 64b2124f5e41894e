import * as api from '@passport/contract/developer-tokens'
import { devTokensClientId, devTokensPageOf } from '../clients/registered.ts'
import type { Feature } from '../feature.ts'
import { apiScope } from '../provider/access-token.ts'
import * as problems from './problems.ts'

/** The settings of the client by which the page for developer tokens requests a token, valid for an hour. */
export const developerTokens: Feature = ({ serve }, { config, clients }) => {
  serve(api.getDeveloperTokensClient, async () => {
    const client = config.authority ? undefined : await clients.find(devTokensClientId)
    if (!client) throw problems.devTokensUnavailable()
    const page = devTokensPageOf(config.publicUrl)
    return {
      authority: config.publicUrl,
      client_id: client.clientId,
      redirect_uri: page,
      post_logout_redirect_uri: page,
      response_type: 'code' as const,
      response_mode: 'fragment' as const,
      scope: `openid profile email ${apiScope}`,
      automaticSilentRenew: false,
      loadUserInfo: true,
    }
  })
}
