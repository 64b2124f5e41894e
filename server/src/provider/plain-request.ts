import type { IncomingMessage } from 'node:http'
import type { IdentityApi } from '@passport/contract/identity-apis'
import type { Client } from '../clients/store.ts'
import { admits, findApisWithScopes } from '../identity-apis/scopes.ts'
import { isPkceValue } from '../oauth/pkce.ts'
import { userScopesOf } from '../oauth/resources.ts'
import { issuerScopes } from '../oauth/scopes.ts'
import { isNative } from './client-metadata.ts'
import { readParameters } from './direct-client.ts'

/** An authorization request with the usual parameters only. */
export interface PlainRequest {
  clientId: string
  redirectUri: string
  /** The requested scopes, each once. */
  scopes: string[]
  state: string | undefined
  nonce: string | undefined
  /** The PKCE challenge, by SHA-256. */
  challenge: string | undefined
}

const knownParameters = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
])

/**
 * Reads a GET request for a code, with OpenID Connect; undefined for any other request. A parameter that is unknown, empty
 * or repeated, and a value that two parsers could decode in two ways, makes a request unusual.
 */
export function readPlainRequest({ method, headers }: IncomingMessage, query: string): PlainRequest | undefined {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (method !== 'GET' || type !== undefined || length !== '0' || encoding !== undefined) return undefined
  if (!isPlainQuery(query)) return undefined
  const parameters = readParameters(new URLSearchParams(query))
  return parameters && toPlainRequest(parameters)
}

function toPlainRequest(parameters: Map<string, string>): PlainRequest | undefined {
  if (![...parameters.keys()].every((name) => knownParameters.has(name))) return undefined
  const [clientId, redirectUri, scope, challenge] = [
    parameters.get('client_id'),
    parameters.get('redirect_uri'),
    parameters.get('scope'),
    parameters.get('code_challenge'),
  ]
  const isCode = parameters.get('response_type') === 'code'
  if (!isCode || clientId === undefined || redirectUri === undefined || scope === undefined) return undefined
  const scopes = readScopes(scope)
  if (!scopes || !isChallenge(challenge, parameters.get('code_challenge_method'))) return undefined
  return { clientId, redirectUri, scopes, state: parameters.get('state'), nonce: parameters.get('nonce'), challenge }
}

/** Reports whether a query has only visible ASCII characters of a query, and complete percent-encodings of UTF-8. */
function isPlainQuery(query: string): boolean {
  if (!/^(?:[\w.~!$&'()*+,:;=@/?-]|%[\da-f]{2})*$/i.test(query)) return false
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** Returns the scopes of an OpenID Connect request; undefined without `openid`, or if they are malformed. */
function readScopes(scope: string): string[] | undefined {
  if (!/^[\w.:/-]+(?: [\w.:/-]+)*$/.test(scope)) return undefined
  const scopes = [...new Set(scope.split(' '))]
  return scopes.includes('openid') ? scopes : undefined
}

/** Reports whether the challenge is one by SHA-256 (RFC 7636, section 4.2), or there is none. */
function isChallenge(challenge: string | undefined, method: string | undefined): boolean {
  if (challenge === undefined) return method === undefined
  return method === 'S256' && isPkceValue(challenge)
}

/** Reports whether a request is valid for a client, whose redirect URI is that of a website. */
export function isValidFor(client: Client, { redirectUri, challenge }: PlainRequest): boolean {
  const { grantTypes, redirectUris, isConfidential, pkce } = client
  return (
    grantTypes.includes('authorization_code') &&
    redirectUris.includes(redirectUri) &&
    /^https?:\/\//.test(redirectUri) &&
    URL.canParse(redirectUri) &&
    // A URI with an incomplete encoding is encoded once more in the redirect.
    !/%(?![\da-f]{2})/i.test(redirectUri) &&
    (challenge !== undefined || (isConfidential && pkce === 'optional'))
  )
}

/** Reports whether the user is asked each time: if the client is configured so, and for apps on a device. */
export const isAskedEachTime = (client: Client): boolean => client.consent === 'always' || isNative(client)

/**
 * Returns the APIs that a request is for by its scopes; undefined if the client gets no tokens of one, or a scope is
 * unknown or for offline access, which a usual request does not get.
 */
export function findRequestedApis(
  all: IdentityApi[],
  { scopes }: PlainRequest,
  { clientId }: Client,
): IdentityApi[] | undefined {
  const found = findApisWithScopes(all, scopes)
  const known = new Set([...issuerScopes, ...found.flatMap(userScopesOf)])
  const isUsual =
    !scopes.includes('offline_access') &&
    scopes.every((scope) => known.has(scope)) &&
    found.every((api) => admits(api, clientId))
  return isUsual ? found : undefined
}

/** Returns the parameters of a request for these APIs, as the library stores them with a pending request. */
export function toStoredParameters(request: PlainRequest, apis: IdentityApi[]): Record<string, unknown> {
  const { clientId, redirectUri, scopes, state, nonce, challenge } = request
  const audiences = apis.map(({ audience }) => audience)
  return {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    resource: audiences.length === 1 ? audiences[0] : audiences,
    ...(state !== undefined && { state }),
    ...(nonce !== undefined && { nonce }),
    ...(challenge !== undefined && { code_challenge: challenge, code_challenge_method: 'S256' }),
  }
}

/** Reads the parameters of a stored request; undefined if they are not those of a usual one. */
export function readStoredParameters(parameters: unknown): { request: PlainRequest; resource: unknown } | undefined {
  const { resource, ...others } = (parameters ?? {}) as Record<string, unknown>
  const isText = Object.values(others).every((value) => typeof value === 'string' && value !== '')
  const request = isText ? toPlainRequest(new Map(Object.entries(others as Record<string, string>))) : undefined
  return request && { request, resource }
}
