import type { Services } from '../feature.ts'
import type { IssueTokens } from './direct-client.ts'
import { createTokenIssue, startingNow } from './direct-issue.ts'
import { lifetimes } from './lifetimes.ts'
import type { LiveTokenStore } from './live-token-store.ts'
import type { TokenPayload } from './token-payload.ts'

/**
 * Creates the refresh of tokens (RFC 6749, section 6) in two statements. A request that loses the race for a token, and a
 * token that was spent before, are for the library: it returns the successor (`rotation.ts`), or ends the family of the
 * token.
 */
export function createRefresh(services: Services, liveTokens: LiveTokenStore): IssueTokens {
  const { read, issue } = createTokenIssue(services, liveTokens)

  return async ({ client, parameters, respond }) => {
    const value = parameters.get('refresh_token')
    // A request for fewer scopes is unusual.
    if (value === undefined || parameters.has('scope')) return undefined
    const presented = await read('RefreshToken', value, client)
    if (!presented) return undefined
    const refreshPayload = toSuccessorPayload(presented.payload)
    const issued = await issue(presented, client, { gty: refreshPayload.gty, refreshPayload })
    return issued && respond(issued)
  }
}

/** Adds this grant type to those by which a token came into being. */
const withRefresh = (gty: string | undefined) => (gty && !gty.endsWith('refresh_token') ? `${gty} refresh_token` : gty)

function toSuccessorPayload(payload: TokenPayload): TokenPayload {
  const { gty, rotations, iiat, iat } = payload
  return {
    ...payload,
    ...startingNow(lifetimes.RefreshToken),
    gty: withRefresh(gty),
    rotations: (rotations ?? 0) + 1,
    iiat: iiat ?? iat,
  }
}
