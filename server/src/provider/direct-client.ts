import type { IncomingHttpHeaders } from 'node:http'
import type { Clients } from '../clients/cache.ts'
import type { Client } from '../clients/store.ts'
import type { UseRecorder } from '../clients/uses.ts'
import type { DirectRequest, DirectResponse } from '../http/direct.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { Visit } from '../http/visit.ts'
import { hashToken, isSameSecret } from '../vault.ts'
import { isAllowedOrigin } from './origins.ts'

/** A request of an authenticated client. */
export interface ClientRequest {
  client: Client
  visit: Visit
  /** The parameters of the form, none of which is repeated or empty. */
  parameters: Map<string, string>
  /** Creates the successful response, with the headers of the library. */
  respond: (body: object) => DirectResponse
}

interface Dependencies {
  http: HttpContext
  clients: Clients
  uses: UseRecorder
}

/** Reads the request of a client; undefined if the library has to. */
export type ReadClientRequest = ReturnType<typeof createClientRequestReader>

/** Headers of authentication that the library reads; a request with one of them is unusual. */
const unusualHeaders = ['dpop', 'oauth-client-attestation', 'oauth-client-attestation-pop']
/** Parameters by which the library would read a request in another way. */
const unusualParameters = ['client_assertion', 'client_assertion_type', 'authorization_details', 'resource', 'claims']
const maxParameters = 20

/** Visible characters of ASCII and the space, to which the library limits client ids and secrets. */
const isVisible = (text: string) => /^[\x20-\x7e]+$/.test(text)

/**
 * Creates the reader of requests with client authentication, as in `client_auth.js` of the library. It returns undefined
 * for every request that the library would refuse or treat in a special way, such as one with a wrong secret, which has
 * to be counted.
 */
export function createClientRequestReader({ http, clients, uses }: Dependencies) {
  return async ({ incoming, visit, readForm }: DirectRequest): Promise<ClientRequest | undefined> => {
    const { headers, method } = incoming
    if (method !== 'POST' || unusualHeaders.some((name) => headers[name] !== undefined)) return undefined
    const parameters = readParameters(await readForm())
    if (!parameters || unusualParameters.some((name) => parameters.has(name))) return undefined
    const credentials = readCredentials(headers, parameters)
    const client = credentials && (await clients.find(credentials.clientId))
    if (!client || !isAuthentic(client, credentials.secret, uses)) return undefined
    const { origin } = headers
    if (origin !== undefined && !isAllowedOrigin(http, origin, client.redirectUris)) return undefined
    return { client, visit, parameters, respond: (body) => toJsonResponse(body, origin) }
  }
}

/**
 * Returns the parameters of a form; undefined if there are too many, or if one is repeated, empty, or cannot be stored.
 */
export function readParameters(form: URLSearchParams | undefined): Map<string, string> | undefined {
  if (!form || form.size > maxParameters) return undefined
  const parameters = new Map<string, string>()
  for (const [name, value] of form) {
    if (value === '' || parameters.has(name) || name.includes('\0') || value.includes('\0')) return undefined
    parameters.set(name, value)
  }
  return parameters
}

interface Credentials {
  clientId: string
  /** Undefined for a public client. */
  secret: string | undefined
}

/** Returns the client id and the secret, by one of the three methods of RFC 6749, sections 2.3.1 and 3.2.1. */
function readCredentials(
  { authorization }: IncomingHttpHeaders,
  parameters: Map<string, string>,
): Credentials | undefined {
  const [clientId, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (authorization === undefined) return clientId === undefined ? undefined : { clientId, secret }
  const basic = secret === undefined ? readBasic(authorization) : undefined
  return clientId === undefined || clientId === basic?.clientId ? basic : undefined
}

function readBasic(authorization: string): Credentials | undefined {
  const [, base64 = ''] =
    /^basic ((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i.exec(authorization) ?? []
  const text = Buffer.from(base64, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  const [clientId, secret] = [decode(text.slice(0, colon)), decode(text.slice(colon + 1))]
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret }
}

/** Decodes a value of the header, which is form-encoded; undefined if it is invalid. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', '%20'))
    return isVisible(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

function isAuthentic({ isConfidential, secretHashes }: Client, secret: string | undefined, uses: UseRecorder): boolean {
  if (secret === undefined || !isConfidential) return secret === undefined && !isConfidential
  const presented = hashToken(secret)
  const isMatch = secretHashes.some((hash) => isSameSecret(hash, presented))
  if (isMatch) uses.recordSecret(presented)
  return isMatch
}

/** Creates a successful response with the headers of the library. */
export const toJsonResponse = (body: object, origin: string | undefined): DirectResponse => ({
  status: 200,
  headers: {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin ?? '*',
    'Access-Control-Expose-Headers': 'WWW-Authenticate',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
  },
  body: JSON.stringify(body),
})
