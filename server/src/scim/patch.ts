import { isDeepStrictEqual } from 'node:util'
import { type Filter, type PatchPath, parsePatchPath } from './filter.ts'
import {
  type Attribute,
  findAttribute,
  findSubAttribute,
  isExtension,
  type ResourceType,
  type Schema,
} from './schema.ts'
import { invalidValue, ScimError } from './scim-error.ts'
import {
  type Complex,
  holderOf,
  isObject,
  keepOnePrimary,
  type Resource,
  readExtension,
  readSimple,
  readValue,
  type Value,
} from './values.ts'

/** An operation of a PATCH request (RFC 7644, section 3.5.2). */
export interface Operation {
  op: 'add' | 'remove' | 'replace'
  path: string | undefined
  /** Undefined if the operation has no value: only then does `remove` concern all values of a list. */
  value: unknown
}

const maxOperations = 1000

/** Reads the operations of a PATCH request; Entra capitalises their names. Throws 400 `invalidSyntax`. */
export function readOperations(body: unknown): Operation[] {
  const invalid = (detail: string) => new ScimError(400, detail, { scimType: 'invalidSyntax' })
  const list = isObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1]
    : undefined
  if (!Array.isArray(list) || list.length === 0) throw invalid('The body must have a list of Operations.')
  if (list.length > maxOperations)
    throw new ScimError(413, `The request has more than ${maxOperations} operations, and nothing was changed.`, {
      help: 'Send them in several requests.',
    })
  return list.map((item: unknown) => {
    if (!isObject(item)) throw invalid('Each operation must be an object.')
    const op = String(item['op']).toLowerCase()
    if (op !== 'add' && op !== 'remove' && op !== 'replace')
      throw invalid(`The operation ${op.slice(0, 50)} does not exist. Use add, remove or replace.`)
    const { path } = item
    if (path !== undefined && path !== null && typeof path !== 'string') throw invalid('The path must be a text.')
    return { op, path: path || undefined, value: item['value'] }
  })
}

/**
 * Applies operations in order; returns the changed resource. Operations on unknown and read-only attributes are ignored.
 * Throws 400 `invalidPath`, `noTarget`, `invalidValue` or `mutability`.
 */
export function applyPatch(type: ResourceType, resource: Resource, operations: Operation[]): Resource {
  const result = structuredClone(resource)
  for (const operation of operations) applyOperation(type, result, operation)
  return result
}

function applyOperation(type: ResourceType, resource: Resource, { op, path, value }: Operation): void {
  if (path !== undefined) {
    applyToPath(type, resource, { op, path, value })
    return
  }
  if (op === 'remove') throw new ScimError(400, 'An operation that removes must have a path.', { scimType: 'noTarget' })
  if (!isObject(value))
    throw invalidValue('The value of an operation without a path must be an object with attributes.')
  for (const [name, inner] of Object.entries(value)) {
    if (name.toLowerCase() === 'schemas') continue
    applyToPath(type, resource, { op, path: name, value: inner })
  }
}

function applyToPath(type: ResourceType, resource: Resource, { op, path, value }: Operation & { path: string }): void {
  if (isExtension(type, path)) {
    applyToExtension(type, resource, op, value)
    return
  }
  const target = parsePatchPath(path)
  const found = findAttribute(type, target.name, target.urn)
  if (!found || found.attribute.mutability === 'readOnly') return
  const { attribute, schema } = found
  if (target.sub !== undefined && !findSubAttribute(attribute, target.sub)) return
  if (target.filter && !attribute.multiValued)
    throw new ScimError(400, `${attribute.name} has one value, so the path must have no filter.`, {
      scimType: 'invalidPath',
    })
  const current = holderOf(resource, type, schema)[attribute.name]
  const next = attribute.multiValued
    ? changeList(attribute, (current ?? []) as Complex[], target, op, value)
    : changeSingle(attribute, current, target, op, value)
  assign(type, resource, { schema, attribute }, next)
}

function applyToExtension(type: ResourceType, resource: Resource, op: Operation['op'], value: unknown): void {
  const id = type.extension?.id ?? ''
  const values = op === 'remove' ? {} : { ...(resource[id] as object), ...readExtension(type, value) }
  if (Object.keys(values).length > 0) resource[id] = values
  else delete resource[id]
}

function assign(
  type: ResourceType,
  resource: Resource,
  { schema, attribute }: { schema: Schema; attribute: Attribute },
  next: Value | undefined,
): void {
  const isUnassigned = next === undefined || (Array.isArray(next) && next.length === 0)
  if (isUnassigned && attribute.required)
    throw new ScimError(400, `${attribute.name} is required, so it cannot be removed.`, { scimType: 'mutability' })
  const values = { ...holderOf(resource, type, schema) }
  if (isUnassigned) delete values[attribute.name]
  else values[attribute.name] = next
  if (schema === type.schema) {
    if (isUnassigned) delete resource[attribute.name]
    else resource[attribute.name] = next
  } else if (Object.keys(values).length === 0) delete resource[schema.id]
  else resource[schema.id] = values
}

function changeSingle(
  attribute: Attribute,
  current: Value | { [name: string]: Value } | undefined,
  { sub }: PatchPath,
  op: Operation['op'],
  value: unknown,
): Value | undefined {
  if (attribute.type !== 'complex') return op === 'remove' ? undefined : readValue(attribute, value)
  if (sub === undefined) {
    if (op === 'remove') return undefined
    const given = readValue(attribute, value)
    // A complex value keeps the sub-attributes that the operation does not name (RFC 7644, section 3.5.2.3).
    return given === undefined ? undefined : { ...(current as Complex | undefined), ...(given as Complex) }
  }
  const changed = changeSub(attribute, { ...(current as Complex | undefined) }, sub, op, value)
  return Object.keys(changed).length > 0 ? changed : undefined
}

function changeSub(attribute: Attribute, complex: Complex, name: string, op: Operation['op'], value: unknown): Complex {
  const sub = findSubAttribute(attribute, name)
  if (!sub || sub.mutability === 'readOnly') return complex
  if (op === 'remove' || value === null || value === undefined) delete complex[sub.name]
  else complex[sub.name] = readSimple(sub, unwrap(value), attribute.name)
  return complex
}

/** Returns the single value of a list, and the `value` of an object: some clients wrap a text in them. */
function unwrap(value: unknown): unknown {
  const [single] = Array.isArray(value) && value.length === 1 ? value : [value]
  return isObject(single) && 'value' in single ? single['value'] : single
}

function changeList(
  attribute: Attribute,
  current: Complex[],
  { filter, sub }: PatchPath,
  op: Operation['op'],
  value: unknown,
): Complex[] {
  if (filter === undefined && sub === undefined) {
    if (op === 'remove' && value === undefined) return []
    const given = (readValue(attribute, value) ?? []) as Complex[]
    // Entra names the values to remove in the operation instead of its path. A list without values removes none.
    if (op === 'remove') return current.filter((item) => !given.some((other) => isSameValue(item, other)))
    if (op === 'add') return addValues(current, given)
    return isEmptyList(value) || given.length > 0 ? given : current
  }
  // Without a filter, null names no value.
  if (filter === undefined && op !== 'remove' && (value === null || value === undefined)) return current
  const isTarget = (item: Complex) =>
    filter === undefined
      ? op !== 'remove' || value === undefined || isNamedBy(attribute, item, sub, value)
      : matchesValue(attribute, item, filter)
  if (op === 'remove' && sub === undefined) return current.filter((item) => !isTarget(item))
  const change = (item: Complex): Complex =>
    sub === undefined
      ? { ...item, ...((readValue(attribute, value) as Complex[] | undefined)?.[0] ?? {}) }
      : changeSub(attribute, { ...item }, sub, op, value)
  if (current.some(isTarget)) {
    const changed = current.map((item) => (isTarget(item) ? change(item) : item))
    const needsValue = findSubAttribute(attribute, 'value') !== undefined
    return keepOnePrimary(changed.filter((item) => 'value' in item || !needsValue))
  }
  if (op === 'remove') return current
  // Entra adds `emails[type eq "work"].value` to a user without one: the filter describes the new value.
  const described = filter === undefined ? {} : describe(attribute, filter)
  if (described === undefined)
    throw new ScimError(400, `No value of ${attribute.name} matches the filter of the path.`, { scimType: 'noTarget' })
  return addValues(current, [change(described)])
}

/** Reports whether a list is empty, which a client sends to remove all values of an attribute. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Reports whether the value of an operation has that of a sub-attribute. */
function isNamedBy(attribute: Attribute, item: Complex, name: string | undefined, value: unknown): boolean {
  const sub = name === undefined ? undefined : findSubAttribute(attribute, name)
  return sub !== undefined && [value].flat().some((given) => unwrap(given) === item[sub.name])
}

const isSameValue = (item: Complex, other: Complex) =>
  'value' in other ? item['value'] === other['value'] : isDeepStrictEqual(item, other)

/** Appends the values that are new; a new primary value replaces the former one. */
function addValues(current: Complex[], given: Complex[]): Complex[] {
  const added = given.filter((item) => !current.some((other) => isDeepStrictEqual(item, other)))
  return keepOnePrimary([...current, ...added])
}

/** Reports whether a complex value matches a filter with paths relative to it. */
function matchesValue(attribute: Attribute, item: Complex, filter: Filter): boolean {
  if (filter.kind === 'and')
    return matchesValue(attribute, item, filter.left) && matchesValue(attribute, item, filter.right)
  if (filter.kind === 'or')
    return matchesValue(attribute, item, filter.left) || matchesValue(attribute, item, filter.right)
  if (filter.kind === 'matches') return false
  const sub = findSubAttribute(attribute, filter.path.name)
  const value = sub && item[sub.name]
  if (typeof value !== 'string') return filter.operator === 'eq' && String(value) === String(filter.value).toLowerCase()
  const [text, wanted] = [value.toLowerCase(), String(filter.value).toLowerCase()]
  if (filter.operator === 'eq') return text === wanted
  return filter.operator === 'co' ? text.includes(wanted) : text.startsWith(wanted)
}

/** Returns the value that a filter of equalities describes; undefined for any other filter. */
function describe(attribute: Attribute, filter: Filter): Complex | undefined {
  if (filter.kind === 'and') {
    const [left, right] = [describe(attribute, filter.left), describe(attribute, filter.right)]
    return left && right && { ...left, ...right }
  }
  const sub =
    filter.kind === 'compare' && filter.operator === 'eq' ? findSubAttribute(attribute, filter.path.name) : undefined
  return sub && filter.kind === 'compare' && filter.value !== null
    ? { [sub.name]: readSimple(sub, filter.value) }
    : undefined
}
