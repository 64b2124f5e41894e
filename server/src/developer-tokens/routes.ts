import * as api from '@passport/contract/developer-tokens'
import * as audit from '../audit/store.ts'
import { devTokensClientId, devTokensPageOf } from '../clients/registered.ts'
import { transaction } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { apiScope } from '../oauth/scopes.ts'
import * as provider from '../provider/store.ts'
import * as problems from './problems.ts'

/** The maximum number of listed tokens. */
const listedTokens = 20

/** The developer tokens of a user, and the settings of the client by which the page requests one for an hour. */
export const developerTokens: Feature = ({ serve }, { config, clients, sql }) => {
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

  serve(api.listDeveloperTokens, async ({ caller }) => {
    const tokens = await provider.listAccessTokens(sql, caller.id, devTokensClientId, listedTokens)
    return tokens.map(({ scope, ...token }) => ({ ...token, scopes: scope.split(' ') }))
  })

  serve(api.revokeDeveloperToken, ({ caller, params, visit }) =>
    transaction(sql, async (sql) => {
      const revoked = await provider.removeAccessToken(sql, caller.id, devTokensClientId, params.id)
      if (!revoked) throw problems.developerTokenNotFound()
      await audit.record(sql, {
        action: 'developer-token.revoked',
        actorId: caller.id,
        target: { kind: 'user', id: caller.id },
        before: { scopes: revoked.scope, issuedAt: revoked.issuedAt },
        visit,
      })
    }),
  )
}
