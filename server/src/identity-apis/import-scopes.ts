import { type IdentityApi, maxOpenApiBytes, NewApiScope, type ScopeImport } from '@passport/contract/identity-apis'
import { load } from 'js-yaml'
import * as z from 'zod/mini'
import { fileLimits, parseForeignJson } from '../http/foreign-json.ts'
import { decodePercent } from '../http/percent-encoding.ts'
import { cutText, toStorableText } from '../http/storable-text.ts'

/** A scope as a document has it. */
export interface DocumentedScope {
  name: string
  description: string
}

/** The scopes of a document, or why it has none that can be imported: the code of a problem. */
export type ParsedScopes =
  | { scopes: DocumentedScope[] }
  | { refusal: 'openapi-invalid' | 'openapi-too-large' | 'too-many-scopes' }

/** Every issuer has these scopes (OpenID Connect Core, section 5.4); documents list them beside those of the API. */
const standardScopes = new Set(['openid', 'profile', 'email', 'connections', 'address', 'phone', 'offline_access'])
/** More than any API can have: the response lists each, also those that are rejected. */
const maxDocumentedScopes = 1000
/** Schemas within schemas; nothing here recurses into them. */
const maxLevels = 256
/** References to references. */
const maxReferences = 8
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * Reads the scopes of an OpenAPI document (versions 2 and 3, in JSON or YAML): those that its OAuth security schemes
 * declare, and those that its operations require; also behind references within the document.
 */
export function parseScopes(text: string): ParsedScopes {
  const bytes = Buffer.byteLength(text)
  const isJson = text.trimStart().startsWith('{')
  if (bytes > (isJson ? maxOpenApiBytes.json : maxOpenApiBytes.yaml)) return { refusal: 'openapi-too-large' }
  const document = parseText(text)
  if (!isObject(document) || !('openapi' in document || 'swagger' in document)) return { refusal: 'openapi-invalid' }
  const read = createReader(document)
  const schemes = {
    ...read(read(document['components'])['securitySchemes']),
    ...read(document['securityDefinitions']),
  }
  const scopes = findDeclaredScopes(read, schemes)
  for (const name of findRequiredScopes(read, document, schemes)) if (!scopes.has(name)) scopes.set(name, '')
  if (scopes.size > maxDocumentedScopes) return { refusal: 'too-many-scopes' }
  const named = [...scopes].filter(([name]) => !standardScopes.has(name))
  return { scopes: named.map(([name, description]) => ({ name, description: toLine(description) })) }
}

/** Returns a value as an object; that at the end of a reference, if it has one. Everything else is an empty object. */
type ReadObject = (value: unknown) => Record<string, unknown>

/** Creates a reader that follows references within the document (OpenAPI 3.1, section 4.8.23; RFC 6901, section 6). */
function createReader(document: Record<string, unknown>): ReadObject {
  return (value) => {
    let object = asObject(value)
    for (let hops = 0; hops < maxReferences; hops++) {
      const reference = object['$ref']
      if (typeof reference !== 'string' || !reference.startsWith('#/')) return object
      object = asObject(findByPointer(document, reference.slice(2)))
    }
    return {}
  }
}

function findByPointer(document: unknown, pointer: string): unknown {
  let found = document
  for (const part of pointer.split('/')) {
    const key = decodePercent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined
    found = found[key]
  }
  return found
}

/** Returns undefined for a text that is neither JSON nor YAML. */
function parseText(text: string): unknown {
  try {
    // Examples in it may have any text.
    return parseForeignJson(text, { ...fileLimits, maxDepth: maxLevels, isPartlyRead: true })
  } catch {
    if (text.trimStart().startsWith('{')) return undefined
    try {
      return load(text, { maxAliases: 100 })
    } catch {
      return undefined
    }
  }
}

/** Returns the scopes that OAuth security schemes declare, with their descriptions. */
function findDeclaredScopes(read: ReadObject, schemes: Record<string, unknown>): Map<string, string> {
  // YAML aliases repeat an object without another copy of it: reading each object once bounds the work by the text.
  const distinct = new Set(Object.values(schemes).map(read))
  const flowMaps = new Set([...distinct].map((scheme) => read(scheme['flows'])))
  const flows = new Set([...distinct, ...[...flowMaps].flatMap((map) => Object.values(map).map(read))])
  const scopeMaps = new Set([...flows].map((flow) => read(flow['scopes'])))
  return new Map(
    [...scopeMaps].flatMap((scopes) =>
      Object.entries(scopes).map(([name, description]) => [name, typeof description === 'string' ? description : '']),
    ),
  )
}

/** Returns the scopes that the document and its operations require of OAuth and OpenID Connect schemes. */
function findRequiredScopes(
  read: ReadObject,
  document: Record<string, unknown>,
  schemes: Record<string, unknown>,
): string[] {
  const paths = new Set(
    [...Object.values(read(document['paths'])), ...Object.values(read(document['webhooks']))].map(read),
  )
  const operations = new Set([...paths].flatMap((path) => methods.map((method) => read(path[method]))))
  const lists = new Set([document, ...operations].map(({ security }) => asArray(security)))
  const requirements = new Set([...lists].flat().map(asObject))
  const scopes = new Set(
    [...requirements].flatMap((requirement) =>
      Object.entries(requirement).flatMap(([scheme, names]) =>
        ['oauth2', 'openIdConnect'].includes(String(read(schemes[scheme])['type'])) ? [asArray(names)] : [],
      ),
    ),
  )
  return [...scopes].flat().filter((name) => typeof name === 'string')
}

/** Compares the scopes of a document with those of an API. `taken` are the names of other APIs. */
export function compareScopes(
  { name: apiName, scopes }: Pick<IdentityApi, 'name' | 'scopes'>,
  documented: DocumentedScope[],
  taken: ReadonlySet<string>,
): ScopeImport {
  const current = new Map(scopes.map((scope) => [scope.name, scope.description]))
  const result: ScopeImport = { added: [], changed: [], unchanged: [], rejected: [] }
  for (const { name, description } of documented) {
    const from = current.get(name)
    const { data, error } = z.safeParse(NewApiScope, { name, description })
    if (error)
      result.rejected.push({ name: toStorableText(name, 200), reason: error.issues[0]?.message ?? 'Is invalid.' })
    else if (name === apiName) result.unchanged.push(name)
    else if (taken.has(name)) result.rejected.push({ name, reason: 'Another API has this name or scope.' })
    else if (from === undefined) result.added.push(data)
    else if (from === data.description || data.description === '') result.unchanged.push(name)
    else result.changed.push({ name, from, to: data.description })
  }
  return result
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const maxDescription = 200

/** Returns the first line of a description, shortened to the limit of a scope's. */
function toLine(text: string): string {
  const line = (text.trim().split(/[\r\n]/, 1)[0] ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
  return line.length > maxDescription ? `${cutText(line, maxDescription - 1).trimEnd()}…` : line
}
