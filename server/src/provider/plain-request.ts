import type { IncomingMessage } from 'node:http'
import type { Client } from '../clients/store.ts'
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
  if (!parameters || ![...parameters.keys()].every((name) => knownParameters.has(name))) return undefined
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
  return method === 'S256' && /^[\w.~-]{43,128}$/.test(challenge)
}

/**
 * Reports whether a client may get a code by this request without asking the user each time. Apps on a device always ask,
 * and the URI of a website has to be registered as it is.
 */
export function isUsualFor(client: Client, { redirectUri, challenge }: PlainRequest): boolean {
  const { grantTypes, redirectUris, consent, isConfidential, pkce } = client
  return (
    grantTypes.includes('authorization_code') &&
    redirectUris.includes(redirectUri) &&
    /^https?:\/\//.test(redirectUri) &&
    URL.canParse(redirectUri) &&
    // A URI with an incomplete encoding is encoded once more in the redirect.
    !/%(?![\da-f]{2})/i.test(redirectUri) &&
    !isNative(client) &&
    consent !== 'always' &&
    (challenge !== undefined || (isConfidential && pkce === 'optional'))
  )
}
