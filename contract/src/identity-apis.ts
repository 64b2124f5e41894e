import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { action, entity, withDefaults } from './request-body.ts'
import { Line, OptionalLine } from './text-fields.ts'

/** The name of Passport's own API, whose scope most of its clients request. */
export const builtInApiName = 'api_vertex_core'

export const maxApiName = 100
export const maxApiDescription = 200
export const maxApiScopes = 100
/** The most clients that an API names, in each of its lists. */
export const maxApiClients = 200
/** The lifetime of access tokens, in seconds. */
export const tokenLifetime = { min: 60, max: 24 * 60 * 60, default: 60 * 60 }
/** The largest OpenAPI document to import scopes from, in bytes of JSON; YAML takes longer to read. */
export const maxOpenApiBytes = { json: 8 * 1024 * 1024, yaml: 4 * 1024 * 1024 }

/** Scopes with a meaning of their own, and the beginnings of those that Passport keeps for itself. */
const reserved =
  /^(?:openid|profile|email|address|phone|offline_access|connections|entitlements|(?:passport|permissions|entitlements)[._:-].*)$/

const scopeRule = (error: string) => ({ error, params: { code: 'scope-name-invalid' satisfies FieldCode } })

/** A scope of an API (RFC 6749, section 3.3), and the name of an API, which is also a scope. */
export const ScopeName = z.string().check(
  z.refine(
    (name) => /^[a-z][a-z0-9_.:-]{0,63}$/.test(name),
    scopeRule(
      'Must be 1 to 64 letters a to z, digits, dots, colons, hyphens and underscores, and begin with a letter.',
    ),
  ),
  z.refine((name) => !reserved.test(name), scopeRule('Is reserved. Choose another name.')),
)

const maxAudience = 500
const parseAudience = (text: string) => (text.length <= maxAudience ? URL.parse(text) : null)

/** A resource indicator (RFC 8707, section 2): compared exactly, and never requested. */
export const Audience = z.string().check(
  z.refine(
    (text) => {
      const url = parseAudience(text)
      return url !== null && !/[\s#]/.test(text) && url.username === '' && url.password === ''
    },
    {
      error: `Must be an absolute URI of at most ${maxAudience} characters without a fragment, such as https://api.example.com.`,
      params: { code: 'audience-invalid' satisfies FieldCode },
    },
  ),
)

const scopeFields = {
  name: ScopeName,
  /** Shown when users are asked for consent. */
  description: OptionalLine(maxApiDescription, 'description-invalid'),
  /** Highlighted when users are asked for consent. */
  emphasize: z.boolean(),
}
/** A scope that clients request for an API. */
export const ApiScope = z.object(scopeFields).check(z.meta({ id: 'ApiScope' }))
export type ApiScope = z.infer<typeof ApiScope>
/** A scope of a new API, where all but the name have defaults. */
export const NewApiScope = z
  .object(withDefaults(scopeFields, { description: '', emphasize: false }))
  .check(z.meta({ id: 'NewApiScope' }))

/** The claims about the user that access tokens of an API may carry. */
export const apiClaims = ['name', 'preferred_username', 'email', 'email_verified'] as const

const unique = <T>(values: T[]) => new Set(values).size === values.length
const clientIds = z.array(z.string()).check(
  z.overwrite((ids) => [...new Set(ids)].sort()),
  z.maxLength(maxApiClients),
)

const scopesOf = <T extends z.core.$ZodType<ApiScope, unknown>>(scope: T) =>
  z.array(scope).check(
    z.maxLength(maxApiScopes),
    z.refine((scopes) => unique(scopes.map(({ name }) => name)), { error: 'Must have different names.' }),
  )

const description = OptionalLine(maxApiDescription, 'description-invalid')
const tokenLifetimeSec = z.int().check(z.minimum(tokenLifetime.min), z.maximum(tokenLifetime.max))

/** The fields that an administrator edits of the built-in API. */
export const BuiltInApiFields = z.object({ description, tokenLifetimeSec })

/** The fields that an administrator edits. */
export const apiFields = {
  /** The scope of the API as a whole; it implies no other scope. */
  name: ScopeName,
  displayName: Line(maxApiName, 'api-name-invalid'),
  /** Completes the consent of users to the scope `name`. */
  description,
  /** The `aud` of its access tokens, and the `resource` of requests (RFC 8707). */
  audience: Audience,
  /** A disabled API gets no new tokens: requests fail with `invalid_target`. Issued tokens stay valid until they expire. */
  enabled: z.boolean(),
  scopes: scopesOf(ApiScope),
  /** Claims in its access tokens, as far as the user allowed a scope that covers them. */
  claims: z.array(z.enum(apiClaims)).check(z.overwrite((claims) => [...new Set(claims)])),
  tokenLifetimeSec,
  /** The ids of the clients that get its tokens; null for every client. */
  allowedClients: z.nullable(clientIds),
  /** The ids of the confidential clients that may introspect its access tokens (RFC 7662). */
  resourceServers: clientIds,
}
const distinctScopes = z.refine<{ name: string; scopes: ApiScope[] }>(
  ({ name, scopes }) => !scopes.some((scope) => scope.name === name),
  { error: 'Must not have the name of the API, which is a scope itself.', path: ['scopes'] },
)
export const ApiFields = z.object(apiFields).check(distinctScopes)
export type ApiFields = z.infer<typeof ApiFields>

/** A new API, where all but the names and the audience have defaults. */
const NewApi = z
  .object({
    ...withDefaults(apiFields, {
      description: '',
      enabled: true,
      claims: [],
      tokenLifetimeSec: tokenLifetime.default,
      allowedClients: null,
      resourceServers: [],
    }),
    scopes: z._default(scopesOf(NewApiScope), []),
  })
  .check(distinctScopes)

const fieldNames = Object.keys(apiFields) as (keyof ApiFields)[]

/** Returns only what an administrator edits of an API. */
export const toApiFields = (api: ApiFields): ApiFields =>
  Object.fromEntries(fieldNames.map((name) => [name, api[name]])) as ApiFields

/** A resource server for which clients get access tokens (RFC 9068). */
export const IdentityApi = z
  .object({
    id: z.string(),
    /** Only the description and the lifetime of the built-in API can change. Every confidential client may introspect its tokens. */
    builtIn: z.boolean(),
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    audience: z.string(),
    enabled: z.boolean(),
    scopes: z.array(ApiScope),
    claims: z.array(z.enum(apiClaims)),
    tokenLifetimeSec: z.int(),
    allowedClients: z.nullable(z.array(z.string())),
    resourceServers: z.array(z.string()),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'IdentityApi' }))
export type IdentityApi = z.infer<typeof IdentityApi>

/** What an import changes, or would change. Scopes that the document lacks are kept. */
export const ScopeImport = z
  .object({
    added: z.array(ApiScope),
    /** Scopes with another description. */
    changed: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
    unchanged: z.array(z.string()),
    /** Scopes of the document that cannot be imported, with the reason. */
    rejected: z.array(z.object({ name: z.string(), reason: z.string() })),
  })
  .check(z.meta({ id: 'ScopeImport' }))
export type ScopeImport = z.infer<typeof ScopeImport>

/** The content of an access token as it would be issued now, without a signature; or the error of the request. */
export const TokenPreview = z
  .object({
    header: z.nullable(z.record(z.string(), z.unknown())),
    claims: z.nullable(z.record(z.string(), z.unknown())),
    /** The OAuth error with which the token request would fail. */
    refusal: z.nullable(z.object({ error: z.string(), description: z.string() })),
  })
  .check(z.meta({ id: 'TokenPreview' }))
export type TokenPreview = z.infer<typeof TokenPreview>

const apiParams = z.object({ apiId: z.string() })
const write = { access: 'admin', recent: true } as const
const changesNextToken = 'A change counts for the next token, on other servers within a minute.'

export const listIdentityApis = endpoint('GET', '/passport/admin/identity/apis', {
  summary: 'List identity APIs',
  description: '`query` matches a part of the name or the audience.',
  access: 'admin',
  query: z.extend(PageQuery, {
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    status: z.optional(z.enum(['enabled', 'disabled'])),
    /** The id of a client that gets tokens of the API. */
    client: z.optional(z.string()),
    ...sortedBy(['name', 'updated']),
  }),
  returns: json(page(IdentityApi)),
})
export const createIdentityApi = endpoint('POST', '/passport/admin/identity/apis', {
  summary: 'Create an identity API',
  ...write,
  body: entity(NewApi),
  returns: json(IdentityApi),
  creates: true,
  fails: [409],
})
export const getIdentityApi = endpoint('GET', '/passport/admin/identity/apis/{apiId}', {
  summary: 'Get an identity API',
  access: 'admin',
  params: apiParams,
  returns: json(IdentityApi),
  conditional: true,
  fails: [404],
})
export const putIdentityApi = endpoint('PUT', '/passport/admin/identity/apis/{apiId}', {
  summary: 'Replace the settings and scopes of an identity API',
  description: `${changesNextToken} 409 \`scope-in-use\` for the removal of a scope that a client has, or that users consented to.`,
  ...write,
  params: apiParams,
  body: entity(ApiFields),
  returns: json(IdentityApi),
  conditional: true,
  fails: [404, 409],
})
export const deleteIdentityApi = endpoint('DELETE', '/passport/admin/identity/apis/{apiId}', {
  summary: 'Delete an identity API',
  description: 'It can be restored for 30 days. 409 `scope-in-use` if a client has one of its scopes.',
  ...write,
  params: apiParams,
  conditional: true,
  fails: [404, 409],
})
export const restoreIdentityApi = endpoint('POST', '/passport/admin/identity/apis/{apiId}/restore', {
  summary: 'Restore an identity API',
  ...write,
  params: apiParams,
  returns: json(IdentityApi),
  conditional: true,
  fails: [404],
})
export const importApiScopes = endpoint('POST', '/passport/admin/identity/apis/{apiId}/scopes/import', {
  summary: 'Import scopes from an OpenAPI document',
  description:
    'Reads the OAuth scopes of the security schemes of a document in JSON or YAML. With `dryRun`, changes nothing.',
  ...write,
  params: apiParams,
  body: action(z.object({ document: z.string().check(z.minLength(1)), dryRun: z._default(z.boolean(), false) }), {
    // The document is a JSON string, in which a quotation mark takes two bytes.
    maxBytes: 2 * maxOpenApiBytes.json,
  }),
  returns: json(ScopeImport),
  conditional: true,
  fails: [404, 409],
})
export const previewApiToken = endpoint('GET', '/passport/admin/identity/apis/{apiId}/tokenpreview', {
  summary: 'Preview an access token of an identity API',
  description: 'Made by the code that issues tokens, but neither signed nor saved.',
  access: 'admin',
  params: apiParams,
  query: z.object({
    clientId: z.string(),
    /** Without a user, the token of the client itself (client credentials). */
    userId: z.optional(z.string()),
    /** The requested scopes, separated by spaces. */
    scope: z.string().check(z.maxLength(8000)),
  }),
  returns: json(TokenPreview),
  fails: [404],
})
