import type { IncomingMessage } from 'node:http'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import type { ProtocolEndpoint, ProtocolRequest, ProtocolResponse } from '../http/protocol.ts'
import type { AddressLimit } from '../http/rate-limit.ts'
import type { Visit } from '../http/visit.ts'
import { type ClientCredentials, readClientCredentials } from '../oauth/client-authentication.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { type Parameters, readParameters, readResources } from '../oauth/parameters.ts'
import { createClientAuthentication } from './authenticate-client.ts'
import { isAllowedOrigin } from './origins.ts'
import { corsHeadersOf, createPreflight } from './protocol-cors.ts'
import { toOAuthError } from './protocol-error.ts'
import { createFailureTracer, type FailedRequest, type TracedRequests } from './trace-failure.ts'

/** A request of an authenticated client. */
export interface ClientRequest {
  client: Client
  parameters: Parameters
  /** The values of `resource`, which may be repeated. */
  resources: string[]
  incoming: IncomingMessage
  visit: Visit
  /** The time of the request, in milliseconds since 1970. */
  startedAt: number
  /** What the request turns out to be about, for the trace of a failure. */
  subject: { userId?: string }
}

/** Thrown by a handler if the client has changed since it was read; the request is then handled once more. */
export class ClientChanged extends Error {}

interface ClientEndpointOptions {
  /** Limits requests without a correct secret, for which a public client id is enough. */
  withoutSecret?: AddressLimit
  /** The status of a successful response; 200 by default. */
  status?: number
  /** Limits all requests. */
  rateLimit?: AddressLimit
  /** Traces the requests that fail. */
  traced?: TracedRequests
}

/**
 * Creates an endpoint for requests of clients, in a form, which it responds to with JSON: it authenticates the client and
 * sends errors (RFC 6749, section 5.2). `handle` returns the body of the response; undefined for an empty one. It may
 * throw `OAuthError`, and `ClientChanged`.
 */
export function createClientEndpoint(
  services: Services,
  { withoutSecret, rateLimit, traced, status = 200 }: ClientEndpointOptions,
  handle: (request: ClientRequest) => Promise<object | undefined>,
): ProtocolEndpoint {
  const { http } = services
  const countAnonymous = withoutSecret && http.limitAddress(withoutSecret)
  const authenticate = createClientAuthentication(services, countAnonymous)
  const traceFailure = traced && createFailureTracer(services, traced)

  async function post(request: ProtocolRequest): Promise<ProtocolResponse> {
    const { incoming, visit } = request
    const { origin } = incoming.headers
    const known: FailedRequest = { visit, startedAt: Date.now(), subject: {} }
    try {
      const { form, credentials } = await readClientRequest(request, known)
      known.clientId = credentials.clientId
      const client = await authenticate(credentials, visit)
      known.client = client
      if (origin !== undefined && !isAllowedOrigin(http, origin, client.redirectUris))
        throw new OAuthError('invalid_request', `origin ${origin} not allowed for client: ${client.clientId}`)
      const { parameters = new Map(), startedAt, subject } = known
      const read = { client, parameters, resources: readResources(form), incoming, visit, startedAt, subject }
      return { ...toJsonResponse(await handleUnchanged(read, credentials), origin), status }
    } catch (thrown) {
      const error = toOAuthError(thrown, request, http)
      await traceFailure?.(known, error)
      const { client } = known
      const isReadable = origin === undefined || !client || isAllowedOrigin(http, origin, client.redirectUris)
      return toErrorResponse(error, {
        origin: isReadable ? origin : null,
        authorization: incoming.headers.authorization,
      })
    }
  }

  /** Reads a request, and who it is from. One that does not say it counts as one without a secret. */
  async function readClientRequest(request: ProtocolRequest, known: FailedRequest) {
    try {
      const form = await readEndpointForm(request)
      known.parameters = readParameters(form)
      return { form, credentials: readClientCredentials(request.incoming.headers.authorization, known.parameters) }
    } catch (error) {
      await countAnonymous?.(request.visit)
      throw error
    }
  }

  /** Handles a request by the client as it is in the database, if it has changed since it was read. */
  async function handleUnchanged(request: ClientRequest, credentials: ClientCredentials): Promise<object | undefined> {
    try {
      return await handle(request)
    } catch (error) {
      if (!(error instanceof ClientChanged)) throw error
      return handle({ ...request, client: await authenticate(credentials, request.visit, { isCurrent: true }) })
    }
  }

  function toErrorResponse(
    error: OAuthError,
    { origin, authorization }: { origin: string | undefined | null; authorization: string | undefined },
  ): ProtocolResponse {
    const isChallenged = error.status === 401 && authorization !== undefined
    const { error: code, error_description: description } = error.toParameters()
    const challenge = `Basic realm="${http.publicUrl}", error="${code}", error_description="${description}"`
    return {
      status: error.status,
      headers: {
        ...(origin === null ? { Vary: 'Origin' } : corsHeadersOf(origin)),
        ...jsonHeaders,
        ...(isChallenged && { 'WWW-Authenticate': challenge }),
        ...error.headers,
      },
      body: JSON.stringify(error.toParameters()),
      code,
    }
  }

  return { methods: { POST: post }, preflight: createPreflight('POST'), ...(rateLimit && { rateLimit }) }
}

/** Returns a parameter of a request. Throws `invalid_request` without it. */
export function requireParameter({ parameters }: Pick<ClientRequest, 'parameters'>, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `missing required parameter '${name}'`)
  return value
}

/** Reads the form of a request; throws `invalid_request` for any other body. */
export async function readEndpointForm({ incoming, path, readForm }: ProtocolRequest): Promise<URLSearchParams> {
  const form = await readForm()
  if (form) return form
  if (incoming.headers['content-type'] === undefined) return new URLSearchParams()
  const expected = 'application/x-www-form-urlencoded'
  throw new OAuthError('invalid_request', `only ${expected} content-type bodies are supported on POST ${path}`)
}

const jsonHeaders = { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' }

/** Creates a successful response, which pages of the origin may read; with an empty body for undefined. */
const toJsonResponse = (body: object | undefined, origin: string | undefined): ProtocolResponse => ({
  status: 200,
  headers: { ...corsHeadersOf(origin), ...jsonHeaders },
  ...(body && { body: JSON.stringify(body) }),
})
