import * as z from 'zod/mini'
import { endpoints } from './api.ts'
import { type ClientScope, type Content, type Endpoint, json, type Schema } from './endpoint.ts'
import { IdempotencyKey, idempotencyFaults } from './idempotency-key.ts'
import { listRelationships, WatchEvent, watchPath, watchQuery } from './permission-relationships.ts'
import { phraseOf } from './phrases.ts'
import { Problem } from './problem.ts'
import { RoleEffect } from './role-effect.ts'

type Described = Endpoint & { room: string }

/** The API as an OpenAPI 3.1 document, for clients in other languages; `version` is `v1`, the version of the API. */
export function openapi(info: { title: string; version: string }) {
  const schemas: Record<string, unknown> = {}
  const comingIn = new Set<string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, endpoint] of endpoints) {
    const path = endpoint.path.replace('...}', '}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(operationId, endpoint) }
  }
  paths[watchPath] = { get: watch() }
  return { openapi: '3.1.1', info, servers: [{ url: '/' }], paths, components: { schemas, securitySchemes } }

  function operation(operationId: string, endpoint: Described) {
    const { room, summary, params, query, body, creates, conditional, method } = endpoint
    const condition = conditional && !creates ? [method === 'GET' ? ifNoneMatch : ifMatch] : []
    const headers = [...(creates ? [keyHeader] : []), ...condition]
    return {
      operationId,
      tags: [room],
      summary,
      ...(endpoint.access !== 'anyone' && { security: securityOf(endpoint) }),
      parameters: [...parameters('path', params), ...parameters('query', query), ...headers],
      ...(body && {
        requestBody: { required: body.type !== 'text/plain' && !body.isOptional, content: content(body, 'input') },
      }),
      responses: Object.fromEntries([
        ...successes(endpoint),
        ...failuresOf(endpoint).map((status) => [status, problem(status, endpoint)]),
      ]),
    }
  }

  /** A stream is no `Endpoint`: its answer has no end. */
  function watch() {
    const failures = [...failuresOf(listRelationships), 429].sort()
    return {
      operationId: 'watchRelationships',
      tags: ['permissions'],
      summary: 'Watch the commits: server-sent events, each with its token as id and as data what is told here',
      security: securityOf(listRelationships),
      parameters: [...parameters('query', watchQuery), lastEventId],
      responses: Object.fromEntries<object>([
        [200, { description: 'OK', content: { 'text/event-stream': { schema: schemaOf(WatchEvent, 'output') } } }],
        ...failures.map((status): [number, object] => [status, problem(status, listRelationships)]),
      ]),
    }
  }

  function parameters(place: 'path' | 'query', schema?: Schema) {
    if (!schema) return []
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
    return Object.entries(properties).map(([name, type]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: type,
    }))
  }

  function successes({ method, returns, conditional, creates, previews }: Endpoint): [number, object][] {
    const headers = conditional && { headers: { ETag: { schema: { type: 'string' } } } }
    const preview: [number, object][] = previews
      ? [[200, { description: 'What it would do', content: content(json(RoleEffect), 'output') }]]
      : []
    if (!returns) return [...preview, [204, { description: 'Done', ...headers }]]
    const told = content(returns, 'output')
    if (creates) return [...preview, [201, { description: 'Created', ...headers, content: told }]]
    if (previews) return [[200, { description: 'OK', ...headers, content: eitherOf(told, RoleEffect) }]]
    const ok: [number, object] = [200, { description: 'OK', ...headers, content: told }]
    return conditional && method === 'GET' ? [ok, [304, { description: 'Not Modified' }]] : [ok]
  }

  /** The answer itself, or that of a preview. */
  function eitherOf(told: Record<string, { schema?: unknown }>, other: Schema) {
    const schema = { anyOf: [told['application/json']?.schema, schemaOf(other, 'output')] }
    return { 'application/json': { schema } }
  }

  function problem(status: number, { creates }: Endpoint) {
    const schema = schemaOf(Problem, 'output')
    const description = creates && status === 409 ? conflictOfKey : phraseOf(status)
    return { description, content: { 'application/problem+json': { schema } } }
  }

  function content({ type, alias, schema, plainField, bodyField, fileTypes }: Content, io: 'input' | 'output') {
    const file = { schema: { type: 'string' } }
    if (fileTypes) return Object.fromEntries(fileTypes.map((fileType) => [fileType, file]))
    if (type === 'text/csv') return { 'text/csv': file }
    const asText = { 'text/plain': file, ...(alias && { [alias]: file }) }
    const inJson = schemaOf(schema, io)
    const inObject = bodyField && { type: 'object', properties: { [bodyField]: inJson }, required: [bodyField] }
    const asJson = { 'application/json': { schema: inObject ? { anyOf: [inJson, inObject] } : inJson } }
    if (type === 'text/plain') return io === 'input' ? { ...asText, ...asJson } : asText
    return plainField ? { ...asJson, ...asText } : asJson
  }

  /**
   * A schema with an id of its own is told once, under components; any other in place. One that goes both ways is told
   * as it comes in, where members that nobody knows are let be.
   */
  function schemaOf(schema: Schema, io: 'input' | 'output'): unknown {
    const told = JSON.stringify(z.toJSONSchema(schema, { io })).replaceAll('#/$defs/', '#/components/schemas/')
    const { $schema, $defs = {}, ...self } = JSON.parse(told)
    for (const [id, told] of Object.entries($defs)) {
      if (io === 'input') comingIn.add(id)
      if (io === 'input' || !comingIn.has(id)) schemas[id] = told
    }
    return self
  }
}

const { $schema: _, ...keySchema } = z.toJSONSchema(IdempotencyKey)
const keyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours the same call with the same key makes nothing more and is answered as the first was, unless that failed',
  schema: keySchema,
}
const optionalHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})
const ifMatch = optionalHeader('If-Match', 'The ETag of what is to be changed: 412 where it is another by now')
const ifNoneMatch = optionalHeader('If-None-Match', 'The ETag of what is known already: 304 where it is the same')
const lastEventId = optionalHeader('Last-Event-ID', 'Goes before `from`: browsers send it when they connect again')
const conflictOfKey = [
  phraseOf(409),
  ...Object.entries(idempotencyFaults).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
].join('\n')

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: '__Host-passport' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  client: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: '/connect/token',
        scopes: {
          'permissions.read': 'Ask who may do what, and read what that rests on',
          'permissions.write': 'Change relationships and the schema of permissions',
        } satisfies Record<ClientScope, string>,
      },
    },
  },
}

/** Any one of them opens it. */
function securityOf({ bearer, scope }: Endpoint) {
  return [
    { session: [] },
    ...(bearer ? [{ bearer: ['api_vertex_core'] }] : []),
    ...(scope ? [{ client: [scope] }] : []),
  ]
}

/** The failures an endpoint may answer with: what its description implies, and what it names itself. */
function failuresOf({ access, body, conditional, creates, method, rateLimit, fails = [] }: Endpoint): number[] {
  const implied = [
    400,
    ...(access === 'anyone' ? [] : [401, 403]),
    ...(creates ? [409] : []),
    ...(body ? [411, 413, 415] : []),
    ...(conditional && method !== 'GET' ? [412] : []),
    ...(rateLimit ? [429] : []),
  ]
  return [...new Set([...implied, ...fails])].sort()
}
