import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { action, message } from './request-body.ts'

/** The connector of Meta Horizon accounts, which has a flow of its own. */
export const metaHorizon = 'metahorizon'

export const ConnectorId = z.string().check(z.regex(/^[a-z][a-z0-9-]{1,31}$/))

/** A service at which users have accounts to connect. */
export const Connector = z.object({ id: z.string(), name: z.string() }).check(z.meta({ id: 'Connector' }))
export type Connector = z.infer<typeof Connector>

/** An account of a user at another service. It is not a way to sign in. */
export const Connection = z
  .object({
    id: z.string(),
    /** The id of the connector. */
    connector: z.string(),
    /** The id of the account at the service; for Meta Horizon the `org_scoped_id`. */
    externalId: z.string(),
    /** The name of the account at the service, as of the connection. */
    label: z.string(),
    linkedAt: Instant,
  })
  .check(z.meta({ id: 'Connection' }))
export type Connection = z.infer<typeof Connection>

export const listConnectors = endpoint('GET', '/passport/connect', {
  summary: 'List the services to connect',
  access: 'anyone',
  cacheControl: 'public, max-age=300',
  returns: json(z.array(Connector)),
})

const connectorParams = z.object({ connector: ConnectorId })
const rateLimit = { requests: 30, perSeconds: 60, by: 'caller' } as const

/** A started connection must be confirmed within this time. */
export const connectMinutes = 10
/** The recency of the confirmation: never less than that of the start and the time between both. */
const confirmMinutes = 25

export const startConnection = endpoint('POST', '/passport/connect/{connector}/start', {
  summary: 'Start connecting an account',
  description: 'Returns the URL of the service to open in the browser, and sets a cookie for its response.',
  access: 'signedIn',
  recent: true,
  rateLimit,
  waitsForOthers: true,
  params: connectorParams,
  returns: json(z.object({ authorizationUrl: z.url(), expiresAt: Instant })),
  fails: [404, 502],
})

const parameter = z.string().check(z.maxLength(4096))
/**
 * The response of the service: for Meta Horizon the fragment of the callback URL, otherwise the parameters of an
 * authorization response (RFC 6749, section 4.1.2). A cancelled one has an empty payload or an error.
 */
export const ConnectResponse = z.union([
  z.object({ payload: z.string().check(z.maxLength(8192)) }),
  // Unknown parameters are ignored (RFC 6749, section 4.1.2).
  z.object({ code: parameter, state: parameter, iss: z.optional(parameter) }),
  z.object({
    error: parameter,
    error_description: z.optional(parameter),
    state: parameter,
    iss: z.optional(parameter),
  }),
])
export type ConnectResponse = z.infer<typeof ConnectResponse>

/** An account that the caller has proven to own, to be confirmed with `linkId`. */
export const PendingConnection = z
  .object({
    linkId: z.string(),
    connector: z.string(),
    externalId: z.string(),
    label: z.string(),
    status: z.literal('confirm'),
  })
  .check(z.meta({ id: 'PendingConnection' }))
export type PendingConnection = z.infer<typeof PendingConnection>

export const receiveConnection = endpoint('POST', '/passport/connect/{connector}/callback', {
  summary: 'Redeem the response of the service',
  description: 'Accepts one response to each start, in the session and the browser that started. Connects nothing yet.',
  access: 'signedIn',
  rateLimit,
  waitsForOthers: true,
  params: connectorParams,
  body: message(ConnectResponse, { maxBytes: 16 * 1024 }),
  returns: json(PendingConnection),
  fails: [404, 409, 410, 502],
})

const Linked = z.object({ status: z.literal('linked') })

export const confirmConnection = endpoint('POST', '/passport/connect/{connector}/confirm', {
  summary: 'Connect the account',
  description:
    'Fails with 409 `external-account-in-use` for an account of another user. With `move`, takes it from that user, who is notified and can undo the move for 7 days.',
  access: 'signedIn',
  recent: { withinMinutes: confirmMinutes },
  rateLimit,
  params: connectorParams,
  body: action(z.object({ linkId: z.string(), move: z.optional(z.boolean()) })),
  returns: json(Linked),
  fails: [404, 409, 410],
})

/** The one call of an account that accepts a bearer token: it connects the token's own user, and moves nothing. */
export const proveConnection = endpoint('POST', '/passport/connect/{connector}/proof', {
  summary: 'Connect the Meta account of a headset',
  description: 'Takes the nonce of `Users.GetUserProof()` of the Platform SDK, and the id of the user on the headset.',
  access: 'signedIn',
  bearer: true,
  rateLimit,
  waitsForOthers: true,
  params: connectorParams,
  body: action(
    z.object({
      userId: z.string().check(z.regex(/^\d{1,32}$/)),
      nonce: z.string().check(z.minLength(1), z.maxLength(1024)),
    }),
  ),
  returns: json(Linked),
  fails: [404, 409, 502],
})

export const undoMove = endpoint('POST', '/passport/connect/{connector}/undo', {
  summary: 'Undo a move with the token of its notice',
  access: 'anyone',
  rateLimit: { requests: 20, perSeconds: 60, by: 'address' },
  params: connectorParams,
  body: action(z.object({ token: z.string().check(z.minLength(1), z.maxLength(100)) })),
  fails: [404, 409],
})

export const listConnections = endpoint('GET', '/passport/account/connections', {
  summary: 'List connected accounts',
  access: 'signedIn',
  returns: json(z.array(Connection)),
})
export const removeConnection = endpoint('DELETE', '/passport/account/connections/{id}', {
  summary: 'Remove a connected account',
  description: 'Revokes nothing at the service.',
  access: 'signedIn',
  recent: true,
  params: z.object({ id: z.string() }),
  fails: [404],
})

const userParams = z.object({ userId: z.string() })

export const listUserConnections = endpoint('GET', '/passport/admin/users/{userId}/connections', {
  summary: 'List the connected accounts of a user',
  access: 'admin',
  params: userParams,
  returns: json(z.array(Connection)),
  fails: [404],
})
export const removeUserConnection = endpoint('DELETE', '/passport/admin/users/{userId}/connections/{id}', {
  summary: 'Remove a connected account of a user',
  access: 'admin',
  recent: true,
  params: z.extend(userParams, { id: z.string() }),
  fails: [404],
})
