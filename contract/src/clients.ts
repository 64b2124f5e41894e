import * as z from 'zod/mini'
import { RedirectUri, ReturnUri, WebUrl } from './client-uris.ts'
import { clientScopes, endpoint, includesAdminScope, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { entity, withDefaults } from './request-body.ts'
import { Line } from './text-fields.ts'

export const maxClientName = 100
/** The most redirect URIs, and the most post-logout redirect URIs, of a client. */
export const maxClientUris = 50
/** The most identity APIs that a client calls on its own behalf. */
export const maxClientApis = 50
/** A client has at most two secrets, so that one can replace the other without an interruption. */
export const maxClientSecrets = 2

export const ClientId = z.string().check(
  z.refine((id) => /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(id), {
    error:
      'Must be 1 to 64 letters a to z, digits, dots, hyphens and underscores, with a letter or digit at either end.',
    params: { code: 'client-id-invalid' satisfies FieldCode },
  }),
)

/**
 * A pattern of the ids of users. A client with such an id could be taken for a user: in a token of its own, `sub` is the
 * client id (RFC 9068, section 5).
 */
export const userIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Reports whether an id has the form of a user id, in either case. */
export const hasFormOfUserId = (id: string): boolean => new RegExp(userIdPattern, 'i').test(id)

export const userIdFormRefused = 'Must not have the form of a user id.'

/** The id of a new client. Clients of earlier versions may have another one. */
const NewClientId = ClientId.check(
  z.refine((id) => !hasFormOfUserId(id), {
    error: userIdFormRefused,
    params: { code: 'client-id-invalid' satisfies FieldCode },
  }),
)

const uris = <T extends z.core.$ZodType<string, string>>(uri: T) =>
  z.array(uri).check(
    z.overwrite((all) => [...new Set(all)]),
    z.maxLength(maxClientUris),
  )

/** An identity API, by its name, and the scopes of it that a client has on its own behalf. */
const ClientApi = z.object({
  name: z.string().check(z.maxLength(64)),
  scopes: z.array(z.string().check(z.maxLength(64))).check(
    z.overwrite((scopes) => [...new Set(scopes)]),
    z.minLength(1),
    z.maxLength(200),
  ),
})
export type ClientApi = z.infer<typeof ClientApi>

/** The fields that an administrator edits; the names are those of the setting `CLIENTS`. */
export const clientFields = {
  clientName: Line(maxClientName, 'client-name-invalid'),
  redirectUris: uris(RedirectUri),
  postLogoutRedirectUris: uris(ReturnUri),
  /** Notified when a session ends (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogoutUri: z.nullable(WebUrl),
  /** When users are asked for consent: never (the operator's own application), once, or each time. */
  consent: z.enum(['skip', 'once', 'always']),
  /** Enables the device flow (RFC 8628); `pin` requires the PIN of the approval. */
  deviceFlow: z.union([z.boolean(), z.literal('pin')]),
  /** Scopes of the client credentials grant (RFC 6749, section 4.4), which needs a secret. */
  scopes: z.array(z.enum(clientScopes)),
  /** Identity APIs for which it gets tokens on its own behalf, as far as they allow it; needs a secret. */
  apis: z.array(ClientApi).check(z.maxLength(maxClientApis)),
  idTokenSigningAlg: z.enum(['ES256', 'RS256']),
  /** Whether its sign-ins need a code challenge (RFC 7636). Optional only with a secret, for libraries without PKCE. */
  pkce: z.enum(['required', 'optional']),
  /** A disabled client cannot start sign-ins or get tokens, and its tokens do not work while it is disabled. */
  enabled: z.boolean(),
}
/** The fields of a new client, where all but the name have defaults. */
export const newClientFields = withDefaults(clientFields, {
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  consent: 'once',
  deviceFlow: false,
  scopes: [],
  apis: [],
  idTokenSigningAlg: 'ES256',
  pkce: 'required',
  enabled: true,
})

export interface Flows {
  redirectUris: string[]
  deviceFlow: boolean | 'pin'
  scopes: string[]
  apis: ClientApi[]
}

/** A client without a redirect URI, the device flow or scopes could not do anything. */
export const needsFlow = z.refine<Flows>(
  ({ redirectUris, deviceFlow, scopes, apis }) =>
    redirectUris.length > 0 || deviceFlow !== false || scopes.length > 0 || apis.length > 0,
  { error: 'Must have a redirect URI, the device flow or a scope.', path: ['redirectUris'] },
)

/** An application with users has more code that an attacker can reach, and a device cannot keep a secret. */
export const adminScopesOfService = z.refine<{
  redirectUris: string[]
  deviceFlow: boolean | 'pin'
  scopes: readonly string[]
}>(
  ({ redirectUris, deviceFlow, scopes }) =>
    !includesAdminScope(scopes) || (redirectUris.length === 0 && deviceFlow === false),
  {
    error: 'Only a service, without redirect URIs and the device flow, can have a scope for administration.',
    path: ['scopes'],
  },
)

/** A public client cannot authenticate, and gets no token of its own (RFC 6749, section 4.4). */
export const scopesOfConfidential = (['scopes', 'apis'] as const).map((name) =>
  z.refine<{ confidential: boolean; scopes: string[]; apis: ClientApi[] }>(
    ({ confidential, [name]: scopes }) => confidential || scopes.length === 0,
    { error: 'Only a confidential client can have scopes.', path: [name] },
  ),
)

/** Without a secret, PKCE alone protects the authorization code (RFC 9700, section 2.1.1). */
export const pkceOfPublic = z.refine<{ confidential: boolean; pkce: 'required' | 'optional' }>(
  ({ confidential, pkce }) => confidential || pkce === 'required',
  { error: 'Must be required: a public client has no secret.', path: ['pkce'] },
)

export const ClientFields = z.object(clientFields).check(needsFlow, adminScopesOfService)
export type ClientFields = z.infer<typeof ClientFields>

export const NewClient = z
  .object({ ...newClientFields, clientId: z.optional(NewClientId), confidential: z._default(z.boolean(), true) })
  .check(needsFlow, adminScopesOfService, pkceOfPublic, ...scopesOfConfidential)
export type NewClient = z.infer<typeof NewClient>

const fieldNames = Object.keys(clientFields) as (keyof ClientFields)[]

/** Returns only what an administrator edits of a client. */
export const toClientFields = (client: ClientFields): ClientFields =>
  Object.fromEntries(fieldNames.map((name) => [name, client[name]])) as ClientFields

/** A secret of a client; its value is returned only when it is created. */
export const ClientSecret = z.object({ id: z.string(), createdAt: Instant, lastUsedAt: z.nullable(Instant) })
export type ClientSecret = z.infer<typeof ClientSecret>

/** An application that signs users in through Passport, or has tokens of its own (RFC 6749, section 2). */
export const Client = z
  .object({
    clientId: z.string(),
    clientName: z.string(),
    /** Clients of the configuration and built-in ones are read-only. */
    source: z.enum(['built-in', 'configuration', 'console']),
    /** Whether it authenticates with a secret (RFC 6749, section 2.1). */
    confidential: z.boolean(),
    redirectUris: z.array(z.string()),
    postLogoutRedirectUris: z.array(z.string()),
    backchannelLogoutUri: z.nullable(z.string()),
    consent: z.enum(['skip', 'once', 'always']),
    deviceFlow: z.union([z.boolean(), z.literal('pin')]),
    scopes: z.array(z.enum(clientScopes)),
    apis: z.array(ClientApi),
    idTokenSigningAlg: z.enum(['ES256', 'RS256']),
    pkce: z.enum(['required', 'optional']),
    enabled: z.boolean(),
    /** The secrets made in the console. */
    secrets: z.array(ClientSecret),
    /** The last time that it got a token, to the minute. */
    lastUsedAt: z.nullable(Instant),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Client' }))
export type Client = z.infer<typeof Client>

/** A client that was just created, with its first secret; null for a public client. */
export const CreatedClient = z
  .object({ client: Client, secret: z.nullable(z.string()) })
  .check(z.meta({ id: 'CreatedClient' }))
export type CreatedClient = z.infer<typeof CreatedClient>

/** A secret that was just created. It cannot be read again. */
export const CreatedSecret = z
  .object({ secretId: z.string(), secret: z.string() })
  .check(z.meta({ id: 'CreatedSecret' }))
export type CreatedSecret = z.infer<typeof CreatedSecret>

const clientParams = z.object({ clientId: z.string() })
const write = { access: 'admin', recent: true } as const

export const listClients = endpoint('GET', '/passport/admin/identity/clients', {
  summary: 'List applications',
  description: '`query` matches a part of the name or the client id.',
  access: 'admin',
  query: z.extend(PageQuery, {
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    ...sortedBy(['name', 'updated']),
  }),
  returns: json(page(Client)),
})
export const createClient = endpoint('POST', '/passport/admin/identity/clients', {
  summary: 'Create an application',
  description: 'Derives a missing client id from the name. Returns the first secret of a confidential client, once.',
  ...write,
  body: entity(NewClient),
  returns: json(CreatedClient),
  creates: true,
  fails: [409],
})
/** Its ETag is for `If-Match`. It is never 304, because a use of the client does not change the version. */
export const getClient = endpoint('GET', '/passport/admin/identity/clients/{clientId}', {
  summary: 'Get an application',
  access: 'admin',
  params: clientParams,
  returns: json(Client),
  fails: [404],
})
export const putClient = endpoint('PUT', '/passport/admin/identity/clients/{clientId}', {
  summary: 'Replace the settings of an application',
  description:
    'A change counts for the next request of the application, on other servers within a minute. The tokens of users of a disabled application stop working at once, on every server; those that have not expired work again when it is enabled.',
  ...write,
  params: clientParams,
  body: entity(ClientFields),
  returns: json(Client),
  conditional: true,
  fails: [404, 409],
})
export const deleteClient = endpoint('DELETE', '/passport/admin/identity/clients/{clientId}', {
  summary: 'Delete an application',
  description: 'Revokes its tokens and the consent of its users. It can be restored for 30 days, with its secrets.',
  ...write,
  params: clientParams,
  conditional: true,
  fails: [404, 409],
})
export const restoreClient = endpoint('POST', '/passport/admin/identity/clients/{clientId}/restore', {
  summary: 'Restore a deleted application with its secrets',
  ...write,
  params: clientParams,
  returns: json(Client),
  fails: [404],
})
export const createClientSecret = endpoint('POST', '/passport/admin/identity/clients/{clientId}/secrets', {
  summary: 'Create a secret for an application',
  description: 'The secret is returned once. A client has at most two, so that one can replace the other.',
  ...write,
  params: clientParams,
  returns: json(CreatedSecret),
  creates: true,
  fails: [404, 409],
})
export const deleteClientSecret = endpoint('DELETE', '/passport/admin/identity/clients/{clientId}/secrets/{secretId}', {
  summary: 'Delete a secret of an application',
  description: 'The secret is refused from the next request on, on other servers within a minute.',
  ...write,
  params: z.object({ clientId: z.string(), secretId: z.string() }),
  fails: [404, 409],
})
