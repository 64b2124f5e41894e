import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import type { ProtocolEndpoint } from '../http/protocol.ts'
import { canIntrospect } from '../identity-apis/scopes.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { ClientChanged, type ClientRequest, createClientEndpoint, requireParameter } from './client-endpoint.ts'
import type { LiveToken, TokenStore } from './token-store.ts'

const inactive = { active: false }

/**
 * Creates the introspection endpoint (RFC 7662). A token that is invalid, and one that the client may not know about, is
 * inactive. One statement reads the token, its grant, its session, its user and the client that asks: a revocation counts
 * from the next request on.
 */
export function createIntrospection(services: Services, { findToken }: TokenStore): ProtocolEndpoint {
  const { config, apis, clients, issuer, introspectPersonalToken } = services
  return createClientEndpoint(services, {}, async (request) => {
    const token = requireParameter(request, 'token')
    if (personalTokenForm.hasForm(token)) return introspectPersonal(token, request)
    const found = await findToken(await readId(token), request.client)
    if (!found) throw new ClientChanged()
    return found.token && (await mayIntrospect(request.client, found.token)) ? describe(found.token) : inactive
  })

  async function introspectPersonal(token: string, { client, visit }: ClientRequest): Promise<object> {
    if (!personalTokenForm.isWellFormed(token)) return inactive
    const description = await introspectPersonalToken({ token, clientId: client.clientId, visit })
    if (description) return description
    // Also for a client that has changed, or was disabled.
    const current = await clients.findCurrent(client.clientId)
    if (current?.version !== client.version) throw new ClientChanged()
    return inactive
  }

  /** Returns the id of a token, which is in a JWT of this issuer; other tokens are their own id. */
  async function readId(token: string): Promise<string> {
    if (!isStructured(token)) return token
    const claims = await readAccessToken(token, config.publicUrl, await issuer.keys(), { isForAnyApi: true })
    return claims?.jti ?? token
  }

  /** Reports whether a client may introspect a token: its own, or one of an API that it is a server of. */
  async function mayIntrospect(client: Client, { clientId, audience }: LiveToken): Promise<boolean> {
    if (clientId === client.clientId) return true
    const api = (await apis.list()).find((candidate) => candidate.audience === audience)
    return api !== undefined && canIntrospect(api, client)
  }

  /** Describes an active token (section 2.2). */
  function describe({ kind, userId, clientId, scopes, audience, sid, jkt, issuedAt, expiresAt }: LiveToken): object {
    return {
      active: true,
      sub: userId,
      client_id: clientId,
      exp: expiresAt,
      iat: issuedAt,
      sid,
      iss: config.publicUrl,
      aud: audience,
      scope: scopes.length > 0 ? scopes.join(' ') : undefined,
      cnf: jkt === undefined ? undefined : { jkt },
      token_type: kind === 'RefreshToken' ? undefined : jkt === undefined ? 'Bearer' : 'DPoP',
    }
  }
}
