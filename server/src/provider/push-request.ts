import type { Services } from '../feature.ts'
import type { ProtocolEndpoint } from '../http/protocol.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { checkAuthorizationRequest, readRequestedScopes } from '../oauth/authorization-request.ts'
import { readIdTokenHint } from '../oauth/id-token-hint.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { resolveScopes } from '../oauth/requested-scopes.ts'
import { type ClientRequest, createClientEndpoint } from './client-endpoint.ts'
import { lifetimes } from './lifetimes.ts'
import { readClientProof, requireFirstUse } from './presentation.ts'
import type { RequestStore, StoredRequest } from './request-store.ts'
import { beginTrace } from './trace-authorization.ts'

/** The prefix of the URIs of pushed requests (RFC 9126, section 2.2). */
const uriPrefix = 'urn:ietf:params:oauth:request_uri:'

/** What authenticates the client is no part of its request. */
const credentials = new Set(['client_secret', 'client_assertion', 'client_assertion_type'])

/** Creates the endpoint to which clients push their authorization requests (RFC 9126). */
export function createPushEndpoint(services: Services): ProtocolEndpoint {
  const { sql, apis, config, issuer, requests, traces } = services

  async function push(request: ClientRequest) {
    const { client, resources } = request
    const { clientId } = client
    const parameters = new Map(
      [...request.parameters, ['client_id', clientId] as const].filter(([name]) => !credentials.has(name)),
    )
    const proof = await readClientProof(request.incoming.headers, `${config.publicUrl}/connect/par`)
    await requireFirstUse(sql, proof)
    const jkt = proof?.jkt
    const bound = parameters.get('dpop_jkt')
    if (jkt !== undefined && bound !== undefined && bound !== jkt)
      throw new OAuthError('invalid_request', 'The dpop_jkt is not that of the DPoP proof.')
    if (jkt !== undefined) parameters.set('dpop_jkt', jkt)
    checkAuthorizationRequest('push', parameters, client)
    const scopes = readRequestedScopes('push', parameters, client)
    resolveScopes(await apis.list(), { clientId, scopes, resources })
    const hint = parameters.get('id_token_hint')
    if (hint !== undefined)
      await readIdTokenHint(hint, { issuer: config.publicUrl, audience: clientId, keys: await issuer.keys() })
    const id = await requests.savePushed({ clientId, parameters: Object.fromEntries(parameters), resources })
    traces.record(beginTrace({ ...request, parameters }))
    return { expires_in: lifetimes.PushedRequest, request_uri: `${uriPrefix}${id}` }
  }

  return createClientEndpoint(
    services,
    {
      status: 201,
      // A request of an application with its secret is not anonymous, and its server sends those of all its users.
      withoutSecret: anonymousLimit('connect-par'),
      traced: {
        kind: 'authorization',
        failsAt: 'parameters-checked',
        begin: (trace, parameters) =>
          trace.pass('request-received', { prompt: parameters.get('prompt'), scope: parameters.get('scope') }),
        isAudited: () => true,
        awaitsAudit: true,
      },
    },
    push,
  )
}

/**
 * Finds the pushed request that an authorization request refers to; undefined if it refers to none. Throws
 * `invalid_request_uri`.
 */
export async function findPushedRequest(
  requests: RequestStore,
  clientId: string,
  parameters: Parameters,
): Promise<(StoredRequest & { pushedId: string }) | undefined> {
  const uri = parameters.get('request_uri')
  if (uri === undefined || !uri.startsWith(uriPrefix)) return undefined
  const pushedId = uri.slice(uriPrefix.length)
  const pushed = await requests.findPushed(pushedId)
  if (!pushed || pushed.isSpent || pushed.clientId !== clientId) throw invalidUri()
  const { isSpent, ...request } = pushed
  return { ...request, pushedId }
}

/** Throws `invalid_request_uri` for a pushed request that another authorization has spent. */
export async function requireUnspent(requests: RequestStore, pushedId: string | undefined): Promise<void> {
  if (pushedId !== undefined && (await requests.isSpent(pushedId))) throw invalidUri()
}

const invalidUri = () =>
  new OAuthError('invalid_request_uri', 'The request_uri is unknown, has expired, or was already used.')
