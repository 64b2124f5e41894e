import type { Services } from '../feature.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { parseScopes } from '../oauth/scopes.ts'
import { createVault, generateToken } from '../vault.ts'
import { requireParameter } from './client-endpoint.ts'
import * as grants from './grant-store.ts'
import {
  createTokenSigner,
  type IssuedTokens,
  invalidGrant,
  requireAuthorization,
  type TokenRequest,
} from './issue-tokens.ts'
import { lifetimes } from './lifetimes.ts'
import { requireFirstUse } from './presentation.ts'
import { findSuccessorInGrace, openSuccessor, sealSuccessor } from './rotation.ts'
import { endGrant, findUnusedSuccessor } from './store.ts'

/**
 * Creates the refresh of tokens (RFC 6749, section 6) in two statements. Each use replaces the refresh token. A token that
 * was replaced returns its unused successor again for a short time, because the response may have been lost; after that it
 * ends the grant (decision 0040, and RFC 9700, section 4.14.2).
 */
export function createRefreshGrant(services: Services, findSource: grants.FindGrantSource) {
  const { sql, issuer } = services
  const sign = createTokenSigner(services)

  return async (request: TokenRequest): Promise<IssuedTokens> => {
    const { client, resources, proof } = request
    const value = requireParameter(request, 'refresh_token')
    const found = requireAuthorization(await findSource('RefreshToken', value), request, 'refresh token')
    const { source, authorization } = found
    const { grant, user } = authorization
    const scopes = selectScopes(grant.scopes, request)
    if (source.jkt !== undefined && source.jkt !== proof?.jkt)
      throw invalidGrant('The refresh token is bound to another DPoP key.')
    const isSpent = source.spentSeconds !== null
    let sealed = isSpent ? await findSuccessorInGrace(sql, issuer.outage, 'passport', value) : undefined
    if (isSpent && sealed === undefined) {
      await endGrant(sql, grant)
      throw invalidGrant('The refresh token was already used.')
    }
    const { accessToken, response } = await sign({ grant, user, client, scopes, resources, jkt: proof?.jkt })
    await requireFirstUse(sql, proof)
    const vault = createVault(value)
    const refreshed = (refreshToken: string) => ({
      response: { ...response, refresh_token: refreshToken },
      userId: user.id,
    })
    if (!isSpent) {
      const refreshToken = { value: generateToken(), jkt: source.jkt, lifetimeSec: lifetimes.RefreshToken }
      const { sealedValue } = sealSuccessor(vault, proof?.jkt, refreshToken.value)
      if (await grants.rotate(sql, source, grant, { accessToken, refreshToken }, sealedValue))
        return refreshed(refreshToken.value)
      // Only one of concurrent requests spends the token; the others get its successor.
      sealed = (await findUnusedSuccessor(sql, 'passport', value))?.sealedValue
    }
    const successor = sealed === undefined ? undefined : openSuccessor(vault, proof?.jkt, sealed)
    if (successor === undefined || !(await grants.saveBesideSuccessor(sql, source, successor, grant, accessToken)))
      throw invalidGrant('The refresh token was already used.')
    return refreshed(successor)
  }
}

/** Returns the requested scopes, or all of the grant. Throws `invalid_scope` for any other (RFC 6749, section 6). */
function selectScopes(granted: string[], { parameters }: TokenRequest): string[] {
  const requested = parameters.get('scope')
  if (requested === undefined) return granted
  const scopes = parseScopes(requested)
  if (!scopes) throw new OAuthError('invalid_scope', 'scope contains invalid characters')
  const missing = scopes.find((scope) => !granted.includes(scope))
  if (missing === undefined) return granted.filter((scope) => scopes.includes(scope))
  throw new OAuthError('invalid_scope', 'The refresh token does not have the requested scope.', {
    members: { scope: missing },
  })
}
