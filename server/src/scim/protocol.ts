import type { IncomingHttpHeaders } from 'node:http'
import type { Services } from '../feature.ts'
import { isValidText } from '../http/storable-text.ts'
import type { Visit } from '../http/visit.ts'
import type { ScimClient } from './authenticate.ts'
import type { ScimContext } from './context.ts'
import { allSchemas, createServiceProviderConfig, describeResourceType, describeSchema } from './discovery-documents.ts'
import type { Filter } from './filter.ts'
import { patchGroup, readGroup } from './group-changes.ts'
import * as groupStore from './group-store.ts'
import { changeGroup, createGroup, deleteGroup, requireGroup } from './groups.ts'
import { Omissions } from './omissions.ts'
import { applyPatch, readOperations } from './patch.ts'
import { scimPath } from './present.ts'
import { isSelected, project } from './project.ts'
import { type ListQuery, readListQuery, readSelection, toListResponse, toParameters } from './read-list.ts'
import { type Represented, representGroup, representUser } from './represent.ts'
import { groupType, type ResourceType, resourceTypes, userType } from './schema.ts'
import { ScimError } from './scim-error.ts'
import * as userStore from './user-store.ts'
import { readNewUser, toObjectId } from './user-values.ts'
import { changeUser, createUser, deleteUser, findOrAdopt, requireUser } from './users.ts'
import { readResource } from './values.ts'

export interface ScimRequest {
  client: ScimClient
  method: string
  /** The path after the id of the organisation, with the query. */
  path: string
  body: unknown
  headers: IncomingHttpHeaders
  visit: Visit
}

export interface ScimResponse {
  status: number
  body?: unknown
  headers: Record<string, string>
  /** What the request did other than its sender may expect, as sentences for the log. */
  notes: string[]
}

/** A request with what its handlers need. */
interface Call extends ScimContext {
  request: ScimRequest
  baseUrl: string
  parameters: URLSearchParams
}

/** Answers a request of an authenticated client. Throws `ScimError`. */
export async function answer(services: Services, request: ScimRequest): Promise<ScimResponse> {
  const [path = '', query = ''] = request.path.split(/\?(.*)/s)
  const [endpoint = '', id, ...more] = path.split('/').map(decode)
  const parameters = new URLSearchParams(query)
  if (![...parameters].flat().every(isValidText))
    throw new ScimError(400, 'The query has characters that are not allowed.')
  const { client, visit } = request
  const baseUrl = `${services.config.publicUrl}${scimPath}/${client.orgId}`
  const call: Call = { services, client, visit, notes: [], omissions: new Omissions(), request, baseUrl, parameters }
  if (more.length > 0 && more.some((part) => part !== '')) throw unknownPath(path)
  const response = await route(call, endpoint, id === '' ? undefined : id)
  return { ...response, notes: [...call.omissions.toNotes(), ...call.notes] }
}

const unknownPath = (path: string) =>
  new ScimError(404, `The path ${path.slice(0, 100)} does not exist.`, {
    help: 'The resources are Users, Groups, ServiceProviderConfig, Schemas and ResourceTypes.',
  })

function decode(part: string): string {
  try {
    const text = decodeURIComponent(part)
    if (isValidText(text)) return text
  } catch {}
  throw new ScimError(400, 'The path has characters that are not allowed.')
}

type Answer = Omit<ScimResponse, 'notes'>

function route(call: Call, endpoint: string, id: string | undefined): Promise<Answer> | Answer {
  const { baseUrl, services } = call
  switch (endpoint.toLowerCase()) {
    case 'users':
      return routeResource(call, userHandlers, id)
    case 'groups':
      return routeResource(call, groupHandlers, id)
    case 'serviceproviderconfig':
      return answerDocument(call, createServiceProviderConfig(services.config.publicUrl, baseUrl))
    case 'resourcetypes':
      return answerDocuments(
        call,
        resourceTypes.map((type) => describeResourceType(type, baseUrl)),
        id,
      )
    case 'schemas':
      return answerDocuments(
        call,
        allSchemas.map((schema) => describeSchema(schema, baseUrl)),
        id,
      )
    case 'bulk':
    case 'me':
      throw new ScimError(501, `/${endpoint} is not supported.`)
    case '.search':
      throw new ScimError(501, 'A search over all types of resources is not supported.', {
        help: 'Search Users or Groups.',
      })
    default:
      throw unknownPath(id === undefined ? endpoint : `${endpoint}/${id}`)
  }
}

function answerDocument({ request }: Call, body: unknown): Answer {
  allowMethods(request, ['GET'])
  return { status: 200, body, headers: {} }
}

function answerDocuments(call: Call, documents: { id: string }[], id: string | undefined): Answer {
  allowMethods(call.request, ['GET'])
  if (call.parameters.has('filter')) throw new ScimError(403, 'Schemas and resource types cannot be filtered.')
  if (id !== undefined) {
    const document = documents.find((candidate) => candidate.id.toLowerCase() === id.toLowerCase())
    if (!document) throw new ScimError(404, `${id.slice(0, 200)} not found.`)
    return { status: 200, body: document, headers: {} }
  }
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: documents.length,
    itemsPerPage: documents.length,
    startIndex: 1,
    Resources: documents,
  }
  return { status: 200, body, headers: {} }
}

function allowMethods({ method }: ScimRequest, methods: string[]): void {
  if (methods.includes(method)) return
  throw new ScimError(405, `${method.slice(0, 16)} is not supported here.`, { headers: { Allow: methods.join(', ') } })
}

/** What the two types of resources do differently. */
interface Handlers {
  type: ResourceType
  list: (call: Call, parameters: URLSearchParams) => Promise<unknown>
  read: (call: Call, id: string) => Promise<Represented>
  create: (call: Call) => Promise<Represented>
  replace: (call: Call, id: string) => Promise<Represented>
  /** Undefined for 204: the response would repeat thousands of members. */
  patch: (call: Call, id: string) => Promise<{ represented: Represented; hasBody: boolean }>
  remove: (call: Call, id: string) => Promise<void>
}

async function routeResource(call: Call, handlers: Handlers, id: string | undefined): Promise<Answer> {
  const { request, parameters } = call
  const { method, headers } = request
  const { type } = handlers
  const selection = readSelection(parameters)
  const toAnswer = ({ json, etag }: Represented, status = 200, more: Record<string, string> = {}): Answer => ({
    status,
    body: project(type, json, selection),
    headers: { ETag: etag, ...more },
  })
  if (id === undefined) {
    allowMethods(request, ['GET', 'POST'])
    if (method === 'GET') return { status: 200, body: await handlers.list(call, parameters), headers: {} }
    const created = await handlers.create(call)
    return toAnswer(created, 201, { Location: (created.json['meta'] as { location: string }).location })
  }
  if (id === '.search') {
    allowMethods(request, ['POST'])
    return { status: 200, body: await handlers.list(call, toParameters(request.body)), headers: {} }
  }
  allowMethods(request, ['GET', 'PUT', 'PATCH', 'DELETE'])
  if (method === 'GET') {
    const represented = await handlers.read(call, id)
    if (headers['if-none-match'] === represented.etag) return { status: 304, headers: { ETag: represented.etag } }
    return toAnswer(represented)
  }
  if (method === 'PUT') return toAnswer(await handlers.replace(call, id))
  if (method === 'PATCH') {
    const { represented, hasBody } = await handlers.patch(call, id)
    return hasBody ? toAnswer(represented) : { status: 204, headers: { ETag: represented.etag } }
  }
  await handlers.remove(call, id)
  return { status: 204, headers: {} }
}

/** Throws 412 unless `If-Match` names the version (RFC 7644, section 3.14). */
function checkVersion({ request }: Call, version: string): void {
  const expected = request.headers['if-match']
  if (expected === undefined || expected.trim() === '*') return
  const tags = expected.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!tags.includes(`"${version}"`)) throw new ScimError(412, 'The resource has changed since this version.')
}

const checkUserVersion = (call: Call, person: userStore.PersonRow): void =>
  checkVersion(call, representUser(person, call.baseUrl).version)

const userHandlers: Handlers = {
  type: userType,
  list: listUsers,
  read: async ({ services, client, baseUrl }, id) =>
    representUser(await requireUser(services.sql, client.orgId, id), baseUrl),
  create: async (call) =>
    representUser(await createUser(call, readNewUser(call.request.body, call.omissions)), call.baseUrl),
  replace: async (call, id) => {
    const next = readResource(userType, call.request.body, call.omissions)
    const changed = await changeUser(call, id, ({ active, externalId }, person) => {
      checkUserVersion(call, person)
      // Omitted in a PUT, they stay: nobody is enabled, or loses the login, because a client does not send them.
      return { ...(active !== undefined && { active }), ...(externalId !== undefined && { externalId }), ...next }
    })
    return representUser(changed, call.baseUrl)
  },
  patch: async (call, id) => {
    const operations = readOperations(call.request.body)
    const changed = await changeUser(call, id, (current, person) => {
      checkUserVersion(call, person)
      return applyPatch(userType, current, operations, call.omissions)
    })
    return { represented: representUser(changed, call.baseUrl), hasBody: true }
  },
  remove: (call, id) => deleteUser(call, id, (person) => checkUserVersion(call, person)),
}

async function listUsers(call: Call, parameters: URLSearchParams): Promise<unknown> {
  const { services, client, baseUrl } = call
  const { sql } = services
  const query = readListQuery(parameters, userStore.userOrders)
  const range = toRange(query)
  let rows = await userStore.list(sql, client.orgId, { ...query, ...range })
  const objectId = query.filter && rows.length === 0 ? findObjectId(query.filter) : undefined
  if (objectId !== undefined && (await findOrAdopt(call, objectId)) !== undefined)
    rows = await userStore.list(sql, client.orgId, { ...query, ...range })
  const total = findTotal(query, rows.length) ?? (await userStore.count(sql, client.orgId, query.filter))
  const shown = rows.slice(0, query.limit).map(({ id }) => id)
  const people = new Map(
    (shown.length > 0 ? await userStore.listPeople(sql, client.orgId, shown) : []).map((person) => [person.id, person]),
  )
  const resources = shown.flatMap((id) => {
    const person = people.get(id)
    return person ? [project(userType, representUser(person, baseUrl).json, query.selection)] : []
  })
  return toListResponse(query, rows, resources, total)
}

/** Returns the object id of a filter `externalId eq "…"`. */
function findObjectId(filter: Filter): string | undefined {
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.path.name.toLowerCase() !== 'externalid')
    return undefined
  return toObjectId(String(filter.value)) ?? undefined
}

const groupHandlers: Handlers = {
  type: groupType,
  list: listGroups,
  read: async ({ services, client, baseUrl, parameters }, id) => {
    const withMembers = isSelected(readSelection(parameters), 'members')
    return representGroup(await requireGroup(services.sql, client.orgId, id, { withMembers }), baseUrl)
  },
  create: async (call) =>
    representGroup(await createGroup(call, readGroup(call.request.body, call.omissions)), call.baseUrl),
  replace: async (call, id) => {
    const next = readGroup(call.request.body, call.omissions)
    const changed = await changeGroup(
      call,
      id,
      ({ externalId }, version) => {
        checkVersion(call, version)
        const attributes = { ...(externalId !== undefined && { externalId }), ...next.attributes }
        return { ...next, attributes }
      },
      { withMembers: isSelected(readSelection(call.parameters), 'members') },
    )
    return representGroup(changed, call.baseUrl)
  },
  patch: async (call, id) => {
    const operations = readOperations(call.request.body)
    const selection = readSelection(call.parameters)
    const hasBody = selection.included.length > 0
    const changed = await changeGroup(
      call,
      id,
      (current, version) => {
        checkVersion(call, version)
        return patchGroup(current, operations, call.omissions)
      },
      { withMembers: hasBody && isSelected(selection, 'members') },
    )
    return { represented: representGroup(changed, call.baseUrl), hasBody }
  },
  remove: (call, id) => deleteGroup(call, id, (version) => checkVersion(call, version)),
}

async function listGroups(call: Call, parameters: URLSearchParams): Promise<unknown> {
  const { services, client, baseUrl } = call
  const { sql } = services
  const query = readListQuery(parameters, groupStore.groupOrders)
  const rows = await groupStore.list(sql, client.orgId, { ...query, ...toRange(query) })
  const total = findTotal(query, rows.length) ?? (await groupStore.count(sql, client.orgId, query.filter))
  const shown = rows.slice(0, query.limit).map(({ id }) => id)
  const withMembers = isSelected(query.selection, 'members')
  const found = shown.length > 0 ? await groupStore.listByIds(sql, client.orgId, shown, { withMembers }) : []
  const groups = new Map(found.map((group) => [group.id, group]))
  const resources = shown.flatMap((id) => {
    const group = groups.get(id)
    return group ? [project(groupType, representGroup(group, baseUrl).json, query.selection)] : []
  })
  return toListResponse(query, rows, resources, total)
}

const toRange = ({ limit, offset, cursor }: ListQuery) => ({
  after: cursor?.after ?? undefined,
  offset,
  limit: limit + 1,
})

/** Returns the total if the first page has all rows. */
const findTotal = ({ limit, offset, cursor }: ListQuery, count: number): number | undefined =>
  offset === 0 && !cursor?.after && count <= limit && limit > 0 ? count : undefined
