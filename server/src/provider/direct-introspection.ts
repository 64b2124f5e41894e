import type { Services } from '../feature.ts'
import type { DirectHandler } from '../http/direct.ts'
import { canIntrospect } from '../identity-apis/scopes.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import type { ReadClientRequest } from './direct-client.ts'
import type { LiveTokenStore } from './live-token-store.ts'
import { readTokenPayload, type TokenPayload } from './token-payload.ts'

const inactive = { active: false }

/** The form of the ids of tokens, which are the tokens themselves unless these are JWTs. */
const isTokenId = (text: string) => /^[\w-]{43}$/.test(text)

/**
 * Creates the handler that answers introspection (RFC 7662) with one statement about the token, its grant, its session,
 * its user and the client that asks: a revocation counts from the next request on. A token that is bound to a key, or
 * stored in an unknown way, and a client that has changed, is for the library.
 */
export function createIntrospectionHandler(
  { config, apis, issuer, introspectPersonalToken }: Services,
  liveTokens: LiveTokenStore,
  readRequest: ReadClientRequest,
): DirectHandler {
  const { publicUrl } = config

  return async (request) => {
    const read = await readRequest(request)
    const token = read?.parameters.get('token')
    if (!read || token === undefined) return undefined
    const { client, respond } = read
    if (personalTokenForm.hasForm(token)) {
      const { visit } = request
      if (!personalTokenForm.isWellFormed(token)) return respond(inactive)
      const description = await introspectPersonalToken({ token, clientId: client.clientId, visit })
      return description && respond(description)
    }
    const id = isStructured(token) ? await readId(token) : isTokenId(token) ? token : undefined
    if (id === undefined) return undefined
    const introspected = await liveTokens.findToken(id, client)
    if (!introspected) return undefined
    const { token: found } = introspected
    if (!found) return respond(inactive)
    const payload = readTokenPayload(found.kind, found.payload)
    if (!payload) return undefined
    if (payload.clientId !== client.clientId) {
      const api = (await apis.list()).find(({ audience }) => audience === payload.aud)
      if (!api || !canIntrospect(api, client)) return respond(inactive)
    }
    return respond(describe(payload, found.kind === 'RefreshToken' ? undefined : 'Bearer'))
  }

  /** Returns the id of a JWT of this issuer. */
  async function readId(token: string): Promise<string | undefined> {
    const claims = await readAccessToken(token, publicUrl, await issuer.keys(), { isForAnyApi: true })
    return claims?.jti
  }

  function describe({ accountId, clientId, exp, iat, sid, aud, scope }: TokenPayload, tokenType: string | undefined) {
    return {
      active: true,
      sub: accountId,
      client_id: clientId,
      exp,
      iat,
      sid,
      iss: publicUrl,
      aud,
      scope: scope || undefined,
      token_type: tokenType,
    }
  }
}
