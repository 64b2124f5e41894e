import type { Services } from '../feature.ts'
import { isProvenBy } from '../oauth/pkce.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import type { ClientRequest, IssueTokens } from './direct-client.ts'
import { createTokenIssue, type IssuedTokens, type Presented, startingNow } from './direct-issue.ts'
import { lifetimes } from './lifetimes.ts'
import type { LiveTokenStore } from './live-token-store.ts'
import { traceIssuedTokens } from './record-traces.ts'
import type { TokenPayload } from './token-payload.ts'

const grantType = 'authorization_code'

/**
 * Creates the exchange of authorization codes (RFC 6749, section 4.1.3) in two statements. A code that was spent before,
 * an invalid verifier, and a request that loses the race for a code are for the library, which ends the grant if the code
 * may have been stolen.
 */
export function createCodeExchange(services: Services, liveTokens: LiveTokenStore): IssueTokens {
  const { read, issue } = createTokenIssue(services, liveTokens)

  return async (request) => {
    const { client, parameters, respond } = request
    const [code, redirectUri, verifier] = [
      parameters.get('code'),
      parameters.get('redirect_uri'),
      parameters.get('code_verifier'),
    ]
    // The library ignores a scope here.
    if (code === undefined || redirectUri === undefined || parameters.has('scope')) return undefined
    const startedAt = Date.now()
    const presented = await read('AuthorizationCode', code, client)
    if (presented?.payload.redirectUri !== redirectUri) return undefined
    const { codeChallenge, codeChallengeMethod = 'S256' } = presented.payload
    if (codeChallengeMethod !== 'S256' || !isProvenBy(codeChallenge, verifier)) return undefined
    const hasRefresh = client.grantTypes.includes('refresh_token')
    const refreshPayload = hasRefresh ? toRefreshPayload(presented.payload) : undefined
    const issued = await issue(presented, client, { gty: grantType, refreshPayload })
    if (!issued) return undefined
    services.traces.record(traceExchange(request, presented, issued, startedAt))
    return respond(issued)
  }
}

function toRefreshPayload(payload: TokenPayload): TokenPayload {
  const { codeChallenge, codeChallengeMethod, redirectUri, ...shared } = payload
  const times = startingNow(lifetimes.RefreshToken)
  return { ...shared, ...times, kind: 'RefreshToken', gty: grantType, rotations: 0, iiat: times.iat }
}

function traceExchange(
  { client, visit }: ClientRequest,
  { value, found }: Presented,
  issued: IssuedTokens,
  startedAt: number,
): Trace {
  const trace = new Trace('token', visit, startedAt)
    .link('code', value)
    .about({ client: client.clientId, userId: found.userId })
    .pass('request-received', { grant: grantType })
    .pass('client-authenticated', { application: client.name })
  return traceIssuedTokens(trace, { ...issued })
}
