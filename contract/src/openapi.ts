import * as z from 'zod/mini'
import { endpoints } from './api.ts'
import { DeviceEvent, deviceEventsPath } from './device-authorization.ts'
import {
  type ClientScope,
  type Content,
  type Endpoint,
  endpoint,
  json,
  listAdmittedScopes,
  recentMinutes,
  type Schema,
} from './endpoint.ts'
import { IdempotencyKey, idempotencyErrors } from './idempotency-key.ts'
import { listRelationships, WatchEvent, watchPath, watchQuery } from './permission-relationships.ts'
import { phraseOf } from './phrases.ts'
import { Problem } from './problem.ts'
import { RoleEffect } from './role-effect.ts'

type FeatureEndpoint = Endpoint & { feature: string }

interface Stream {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: object[]
  /** An endpoint with the same callers. */
  access: Endpoint
  failures: number[]
  event: Schema
}

/** An endpoint for users with a session. */
const sessionAccess = endpoint('GET', deviceEventsPath, { summary: '', access: 'signedIn' })

/** Creates the OpenAPI 3.1 document of the API, for clients in other languages. `version` is that of the API, `v1`. */
export function createOpenApiDocument(info: { title: string; version: string }) {
  const schemas: Record<string, unknown> = {}
  const inputIds = new Set<string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, served] of endpoints) {
    const path = served.path.replace('...}', '}')
    paths[path] = { ...paths[path], [served.method.toLowerCase()]: describeOperation(operationId, served) }
  }
  paths[watchPath] = {
    get: describeStream({
      operationId: 'watchRelationships',
      tags: ['permissions'],
      summary: 'Watch relationship changes',
      description: 'Sends a server-sent event for each commit, with the token of the commit as its id.',
      parameters: [...describeParameters('query', watchQuery), lastEventId],
      access: listRelationships,
      failures: [...listFailureStatuses(listRelationships), 429].sort(),
      event: WatchEvent,
    }),
  }
  paths[deviceEventsPath] = {
    get: describeStream({
      operationId: 'watchDeviceAuthorization',
      tags: ['device-authorization'],
      summary: 'Watch the device authorization that this session started',
      description: 'Sends a server-sent event with the status at once, and whenever it changes.',
      parameters: [],
      access: sessionAccess,
      failures: [401, 429, 503],
      event: DeviceEvent,
    }),
  }
  return { openapi: '3.1.1', info, servers: [{ url: '/' }], paths, components: { schemas, securitySchemes } }

  function describeOperation(operationId: string, endpoint: FeatureEndpoint) {
    const { feature, summary, description, params, query, body, creates, conditional, method } = endpoint
    const condition = conditional && !creates ? [method === 'GET' ? ifNoneMatch : ifMatch] : []
    const headers = [...(creates ? [keyHeader] : []), ...condition]
    return {
      operationId,
      tags: [feature],
      summary,
      ...(description && { description }),
      ...(endpoint.access !== 'anyone' && { security: toSecurity(endpoint) }),
      ...(endpoint.keyHeader && { security: [{ webhookKey: [] }] }),
      parameters: [...describeParameters('path', params), ...describeParameters('query', query), ...headers],
      ...(body && {
        requestBody: {
          required: body.type !== 'text/plain' && !body.isOptional,
          content: describeContent(body, 'input'),
        },
      }),
      responses: Object.fromEntries([
        ...describeSuccesses(endpoint),
        ...listFailureStatuses(endpoint).map((status) => [status, describeProblem(status, endpoint)]),
      ]),
    }
  }

  /** Describes a stream of events, which is no `Endpoint` because its response does not end. */
  function describeStream({ event, failures, access, ...stream }: Stream) {
    return {
      ...stream,
      security: toSecurity(access),
      responses: Object.fromEntries<object>([
        [200, { description: 'OK', content: { 'text/event-stream': { schema: toSchema(event, 'output') } } }],
        ...failures.map((status): [number, object] => [status, describeProblem(status, access)]),
      ]),
    }
  }

  function describeParameters(location: 'path' | 'query', schema?: Schema) {
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
    return Object.entries(properties).map(([name, type]) => ({
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      schema: type,
    }))
  }

  function describeSuccesses(endpoint: Endpoint): [number, object][] {
    const { method, returns, conditional, creates, mayBePending, previews } = endpoint
    const effect = previews === true ? RoleEffect : previews
    const headers = conditional && { headers: { ETag: { schema: { type: 'string' } } } }
    const preview: [number, object][] = effect
      ? [
          [
            200,
            {
              description: 'The effect of the change; nothing was written',
              content: describeContent(json(effect), 'output'),
            },
          ],
        ]
      : []
    if (!returns) return [...preview, [204, { description: 'Done', ...headers }]]
    const body = describeContent(returns, 'output')
    if (returns.storedTypes)
      return [
        [200, { description: 'OK', content: body }],
        [206, { description: 'The requested range', content: body }],
        [304, { description: 'Not Modified' }],
      ]
    if (creates) return [...preview, [201, { description: 'Created', ...headers, content: body }]]
    if (effect) return [[200, { description: 'OK', ...headers, content: addPreview(body, effect) }]]
    const ok: [number, object] = [200, { description: 'OK', ...headers, content: body }]
    if (mayBePending) return [ok, [202, { description: 'Accepted, not complete yet', content: body }]]
    return conditional && method === 'GET' ? [ok, [304, { description: 'Not Modified' }]] : [ok]
  }

  /** Describes the regular response or that of a preview. */
  function addPreview(content: Record<string, { schema?: unknown }>, preview: Schema) {
    const schema = { anyOf: [content['application/json']?.schema, toSchema(preview, 'output')] }
    return { 'application/json': { schema } }
  }

  function describeProblem(status: number, { creates, recent, scope }: Endpoint) {
    const schema = toSchema(Problem, 'output')
    const errors = {
      ...(creates && status === 409 && idempotencySentences),
      ...(recent && status === 401 && { 'reauthentication-required': describeRecency(recent) }),
      ...(recent &&
        (recent === true || !recent.ifGivesRoles || recent.ifRoles) &&
        !scope &&
        status === 403 && { 'session-required': 'This endpoint requires a session; a token is not enough.' }),
    }
    const description = [
      phraseOf(status),
      ...Object.entries(errors).map(([code, text]) => `- \`${code}\`: ${text}`),
    ].join('\n')
    return { description, content: { 'application/problem+json': { schema } } }
  }

  function describeContent(
    {
      type,
      alternativeType,
      schema,
      plainField,
      bodyField,
      fileTypes,
      files,
      isPageForm,
      storedTypes,
      textTypes,
    }: Content,
    io: 'input' | 'output',
  ) {
    const textContent = { schema: { type: 'string' } }
    const binaryContent = { schema: { type: 'string', format: 'binary' } }
    if (storedTypes) return Object.fromEntries(storedTypes.map((storedType) => [storedType, binaryContent]))
    if (textTypes) return Object.fromEntries(textTypes.map((textType) => [textType, textContent]))
    if (isPageForm) {
      const asForm = { schema: toSchema(schema, io) }
      return { 'application/x-www-form-urlencoded': asForm, [type]: asForm }
    }
    if (files) {
      const entries = Object.values(files).flatMap(({ types }) => types.map((fileType) => [fileType, binaryContent]))
      const members = toSchema(schema, io) as { properties: Record<string, unknown> }
      const properties = Object.fromEntries(Object.entries(members.properties).filter(([name]) => !(name in files)))
      return {
        'application/json': { schema: { ...members, properties } },
        [type]: { schema: members },
        ...Object.fromEntries(entries),
      }
    }
    if (fileTypes) {
      const entries = Object.entries(fileTypes).map(([contentType, parsed]) => [
        contentType,
        { schema: toSchema(parsed, io) },
      ])
      return Object.fromEntries(entries)
    }
    if (type === 'text/csv') return { 'text/csv': textContent }
    const asText = { 'text/plain': textContent, ...(alternativeType && { [alternativeType]: textContent }) }
    const valueSchema = toSchema(schema, io)
    const objectSchema = bodyField && {
      type: 'object',
      properties: { [bodyField]: valueSchema },
      required: [bodyField],
    }
    const asJson = {
      'application/json': { schema: objectSchema ? { anyOf: [valueSchema, objectSchema] } : valueSchema },
    }
    if (type === 'text/plain') return io === 'input' ? { ...asText, ...asJson } : asText
    return plainField ? { ...asJson, ...asText } : asJson
  }

  /**
   * Converts a schema. One with an id is defined once, under `components`, and any other is inlined. A schema of both
   * requests and responses is described as input.
   */
  function toSchema(schema: Schema, io: 'input' | 'output'): unknown {
    const text = JSON.stringify(z.toJSONSchema(schema, { io })).replaceAll('#/$defs/', '#/components/schemas/')
    const { $schema, $defs = {}, ...self } = JSON.parse(text)
    for (const [id, definition] of Object.entries($defs)) {
      if (io === 'input') inputIds.add(id)
      if (io === 'input' || !inputIds.has(id)) schemas[id] = definition
    }
    return self
  }
}

const idempotencySentences = Object.fromEntries(
  Object.entries(idempotencyErrors).map(([code, { meaning, remedy }]) => [code, `${meaning} ${remedy}`]),
)

const { $schema: _, ...keySchema } = z.toJSONSchema(IdempotencyKey)
const keyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A retry with the same key within 24 hours creates nothing and returns the first response, unless that failed',
  schema: keySchema,
}
const optionalHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})
const ifMatch = optionalHeader('If-Match', 'The ETag of the resource to change; 412 if it has changed since')
const ifNoneMatch = optionalHeader('If-None-Match', 'The ETag of a cached response; 304 if the resource is unchanged')
const lastEventId = optionalHeader(
  'Last-Event-ID',
  'Takes precedence over `from`; browsers send it when they reconnect',
)

function describeRecency(recent: NonNullable<Endpoint['recent']>): string {
  const { withinMinutes = recentMinutes, ifRoles, ifGivesRoles } = recent === true ? {} : recent
  const conditions = [
    ifRoles && 'the body names roles',
    ifGivesRoles && 'the call gives a user a role or the ownership of an organisation',
  ].filter(Boolean)
  const condition = conditions.length > 0 ? ` and ${conditions.join(' or ')}` : ''
  return `The caller authenticated more than ${withinMinutes} minutes ago${condition}. If the reason is \`provider-cannot-prove\`, an operator must change the configuration first.`
}

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: '__Host-passport' },
  setupLink: { type: 'apiKey', in: 'cookie', name: 'passport-setup' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  webhookKey: { type: 'apiKey', in: 'header', name: 'x-passport-webhook-key' },
  client: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: '/connect/token',
        scopes: {
          'permissions.read': 'Check permissions and read relationships and the schema',
          'permissions.write': 'Change relationships and the permission schema',
          'entitlements.write': 'Report usage of entitlements',
          'passport.admin.read': 'Read everything that an administrator can, except exports',
          'passport.admin': 'Act as an administrator, except for what requires a recent sign-in',
        } satisfies Record<ClientScope, string>,
      },
    },
  },
}

/** Returns the security requirements, any one of which is sufficient. */
function toSecurity(endpoint: Endpoint) {
  if (endpoint.access === 'setup') return [{ setupLink: [] }]
  return [
    { session: [] },
    ...(endpoint.bearer ? [{ bearer: ['api_vertex_core'] }] : []),
    ...listAdmittedScopes(endpoint).map((scope) => ({ client: [scope] })),
  ]
}

/** Returns the failure statuses of an endpoint: those implied by its other properties, and those in `fails`. */
function listFailureStatuses({
  access,
  body,
  conditional,
  creates,
  method,
  rateLimit,
  oneAtATime,
  returns,
  fails = [],
}: Endpoint): number[] {
  const implied = [
    400,
    ...(access === 'anyone' ? [] : [401, 403]),
    ...(creates ? [409] : []),
    ...(body ? [411, 413, 415] : []),
    ...(conditional && method !== 'GET' ? [412] : []),
    ...(returns?.storedTypes ? [416] : []),
    ...(rateLimit || oneAtATime ? [429] : []),
    // The server is overloaded, or its database is unavailable.
    503,
  ]
  return [...new Set([...implied, ...fails])].sort()
}
