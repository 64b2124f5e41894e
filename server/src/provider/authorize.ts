import { computeBrowserState } from '../accounts/session-cookie.ts'
import { idleHours } from '../accounts/session-store.ts'
import type { Client } from '../clients/store.ts'
import type { Services } from '../feature.ts'
import { createCookies } from '../http/cookies.ts'
import { tooLarge } from '../http/problems.ts'
import type { ProtocolEndpoint, ProtocolRequest, ProtocolResponse } from '../http/protocol.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { isKnownParameter, rejectRequestObject } from '../oauth/authorization-request.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { maxParameters, type Parameters, readParameters, readResources } from '../oauth/parameters.ts'
import { computeSessionState } from '../oauth/session-state.ts'
import { type Assessed, type Authorization, createAssessment } from './authorization.ts'
import { findTarget, RequestExpired, respondToClient, showError, toRedirect } from './authorization-response.ts'
import { type BrowserRead, createBrowserReader } from './authorization-store.ts'
import type { UserNeeded } from './decide-prompt.ts'
import { createCodeIssue } from './issue-code.ts'
import { clearRequestCookies, formatRequestCookies } from './pending-request.ts'
import { toOAuthError } from './protocol-error.ts'
import { findPushedRequest, requireUnspent } from './push-request.ts'
import type { PendingRequest } from './request-store.ts'
import {
  createAuthorizationFailureTracer,
  type TracedAuthorization,
  traceIssuedCode,
  traceNeededUser,
} from './trace-authorization.ts'

/** Encrypted and encoded, this fits into a request line of 8 KB, the usual limit of proxies. */
const maxFormLength = 6000

/** How often a request is decided, if what decides about it changes each time. */
const maxAttempts = 4

/** What a request to the endpoint, or to its continuation, is about. */
export interface AuthorizationSource {
  /** The id of the pending request that continues. */
  uid?: string
  /** Reads the request from what was sent, and from what is stored. Throws the error of a request that is not valid. */
  read: (known: TracedAuthorization, attempt: number) => Promise<ReadRequest>
}

interface ReadRequest {
  stored: PendingRequest
  client: Client
  /** Undefined for a browser without a session. */
  browser: BrowserRead | undefined
}

/** Creates the functions that the authorization endpoint shares with the continuation of its requests. */
export function createAuthorization(services: Services) {
  const { sql, http, clients, traces, requests } = services
  const assess = createAssessment(services)
  const issueCode = createCodeIssue(services)
  const traceFailure = createAuthorizationFailureTracer(services)
  const readBrowser = createBrowserReader(sql, idleHours)
  return { handle, readBrowser, findClient }

  /** Finds the client of a request, as it is in the database from the second attempt on. Throws `invalid_client`. */
  async function findClient(clientId: string | undefined, attempt: number): Promise<Client> {
    if (clientId === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
    const client = (attempt === 0 && (await clients.find(clientId))) || (await clients.findCurrent(clientId))
    if (!client) throw new OAuthError('invalid_client', 'The client is unknown or disabled.')
    return client
  }

  /** Handles a request for a code: issues it, asks for the user, or returns the error to the client. */
  async function handle(request: ProtocolRequest, source: AuthorizationSource): Promise<ProtocolResponse> {
    const { visit } = request
    const { uid } = source
    const known: TracedAuthorization = {
      visit,
      startedAt: Date.now(),
      parameters: new Map(),
      uid,
      isContinued: uid !== undefined,
    }
    try {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const response = await tryOnce(request, source, known, attempt)
        if (response) return response
      }
      throw new OAuthError('server_error', 'The session or the application changed while the request was handled.')
    } catch (thrown) {
      return fail(request, known, thrown)
    }
  }

  /** Returns undefined if what has decided about the request has changed. */
  async function tryOnce(
    request: ProtocolRequest,
    source: AuthorizationSource,
    known: TracedAuthorization,
    attempt: number,
  ): Promise<ProtocolResponse | undefined> {
    const { stored, client, browser } = await source.read(known, attempt)
    const { uid } = source
    known.parameters = new Map(Object.entries(stored.parameters))
    known.client = client
    known.userId = browser?.session?.userId
    const authorization = await assessCurrent({ uid, stored, client, browser }, attempt)
    if (!authorization) return undefined
    const { decision } = authorization
    if (decision.step === 'error') throw new OAuthError(decision.code, decision.description)
    if (decision.step !== 'issue') return askUser(stored, known, decision)
    const code = await issueCode(authorization, browser ?? { clientVersion: null }, { uid, pushedId: stored.pushedId })
    if (code === undefined) {
      await requireUnspent(requests, stored.pushedId)
      return undefined
    }
    traces.record(traceIssuedCode(known, code))
    return respondWithCode(request, authorization, code, uid)
  }

  /** Decides about a request; undefined for an error that may come from an old copy of the client. */
  async function assessCurrent(assessed: Assessed, attempt: number) {
    try {
      return await assess(assessed)
    } catch (error) {
      if (error instanceof OAuthError && attempt === 0) return undefined
      throw error
    }
  }

  /** Saves the request until its user has done what it needs, and sends the browser to its page. */
  async function askUser(stored: PendingRequest, known: TracedAuthorization, needed: UserNeeded) {
    const uid = known.uid ?? (await requests.savePending(stored))
    if (known.uid !== undefined) await requests.extendPending(uid)
    traces.record(traceNeededUser({ ...known, uid }, needed))
    return toRedirect(`/connect/interaction/${uid}`, formatRequestCookies(uid, http))
  }

  function respondWithCode(
    { incoming }: ProtocolRequest,
    { client, request }: Authorization,
    code: string,
    uid: string | undefined,
  ): ProtocolResponse {
    const { redirectUri, responseMode: mode, state } = request
    const token = createCookies(incoming.headers.cookie, http.isSecure).get(http.sessionCookie)
    const { origin } = new URL(redirectUri)
    const sessionState =
      origin === 'null'
        ? undefined
        : computeSessionState({ clientId: client.clientId, origin, browserState: computeBrowserState(token) })
    const setCookie = uid === undefined ? [] : clearRequestCookies(uid, http)
    return respondToClient({ redirectUri, mode, state }, { code, session_state: sessionState }, http, {
      incoming,
      setCookie,
    })
  }

  async function fail(
    request: ProtocolRequest,
    known: TracedAuthorization,
    thrown: unknown,
  ): Promise<ProtocolResponse> {
    const error = toOAuthError(thrown, request, http)
    const { parameters } = known
    const clientId = parameters.get('client_id')
    // The client gets errors that were found before it.
    if (!known.client && clientId !== undefined && !(error instanceof RequestExpired))
      known.client = await clients.findCurrent(clientId).catch(() => undefined)
    const target = findTarget(known.client, parameters)
    const isUnregistered = known.client && !target && parameters.has('redirect_uri')
    const shown = isUnregistered ? unregistered() : error
    await traceFailure(known, shown)
    const { incoming, visit } = request
    return target && !(error instanceof RequestExpired)
      ? respondToClient(target, shown.toParameters(), http, { incoming })
      : showError(shown, parameters.get('state'), http, { incoming, visit })
  }
}

const unregistered = () => new OAuthError('invalid_redirect_uri', 'The redirect_uri is not registered for the client.')

/** Creates the authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core, section 3.1.2.1). */
export function createAuthorizationEndpoint(
  services: Services,
  authorization = createAuthorization(services),
): ProtocolEndpoint {
  const { http, requests } = services
  const consume = http.limitAddress(anonymousLimit('connect-authorize'))

  const get = async (request: ProtocolRequest) => {
    await consume(request.visit)
    const query = new URLSearchParams(request.query)
    const token = createCookies(request.incoming.headers.cookie, http.isSecure).get(http.sessionCookie)
    return authorization.handle(request, {
      read: async (known, attempt) => {
        known.parameters = readSingle(query)
        const sent = readKnownParameters(query)
        // The client may be named in the object only.
        if (sent.has('request')) rejectRequestObject()
        const client = await authorization.findClient(sent.get('client_id'), attempt)
        known.client = client
        const { clientId } = client
        const pushed = await findPushedRequest(requests, clientId, sent)
        const stored = pushed ?? { clientId, parameters: Object.fromEntries(sent), resources: readResources(query) }
        const browser = token === undefined ? undefined : await authorization.readBrowser({ token, clientId })
        return { stored, client, browser }
      },
    })
  }

  return { methods: { GET: get, POST: redirectToGet } }
}

/**
 * Browsers send a form of another site without the session, so it is redirected (OpenID Connect Core, section 3.1.2.1,
 * requires POST).
 */
async function redirectToGet({ readForm }: ProtocolRequest): Promise<ProtocolResponse> {
  const form = `${(await readForm()) ?? ''}`
  if (form.length > maxFormLength) throw tooLarge('An authorization request must have at most 6,000 bytes.')
  return toRedirect(`/connect/authorize?${form}`, [])
}

/** Reads the parameters that count. Throws `invalid_request` if one of them is repeated, or if there are too many. */
function readKnownParameters(query: URLSearchParams): Parameters {
  const known = [...query].filter(([name]) => isKnownParameter(name))
  return readParameters(query.size > maxParameters ? query : new URLSearchParams(known))
}

/** Returns the parameters that were sent once, to find the client and where its errors go. */
function readSingle(query: URLSearchParams): Parameters {
  const names = [...new Set(query.keys())].filter((name) => query.getAll(name).length === 1)
  return new Map(
    names.map((name) => [name, query.get(name) ?? '']).filter(([, value]) => value !== '') as [string, string][],
  )
}
