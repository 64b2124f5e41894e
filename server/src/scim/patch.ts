import { type Filter, type PatchPath, parsePatchPath } from './filter.ts'
import type { Omissions } from './omissions.ts'
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
  maxValues,
  type Resource,
  readExtension,
  readSimple,
  readValue,
  requireWritable,
  unwrap,
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
  if (countChanges(list) > maxOperations)
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

/** Counts operations; one without a path is as many as it has attributes. */
const countChanges = (list: unknown[]) =>
  list.reduce<number>((count, item) => {
    const attributes =
      isObject(item) && !item['path'] && isObject(item['value']) ? Object.keys(item['value']).length : 1
    return count + Math.max(attributes, 1)
  }, 0)

/** The resource that operations change, and what they have that is not stored. */
interface Target {
  type: ResourceType
  resource: Resource
  omissions: Omissions
  /** The number of comparisons in the paths so far. */
  comparisons: number
}

/**
 * Applies operations in order; returns the changed resource. Operations on unknown and read-only attributes, and values that
 * cannot be used, are omitted. Throws 400 `invalidPath`, `noTarget`, `invalidValue` or `mutability`, and 413 for too many
 * comparisons.
 */
export function applyPatch(
  type: ResourceType,
  resource: Resource,
  operations: Operation[],
  omissions: Omissions,
): Resource {
  const target = { type, resource: structuredClone(resource), omissions, comparisons: 0 }
  for (const operation of operations) applyOperation(target, operation)
  return target.resource
}

function applyOperation(target: Target, { op, path, value }: Operation): void {
  if (path !== undefined) {
    applyToPath(target, { op, path, value })
    return
  }
  if (op === 'remove') throw new ScimError(400, 'An operation that removes must have a path.', { scimType: 'noTarget' })
  if (!isObject(value))
    throw invalidValue('The value of an operation without a path must be an object with attributes.')
  for (const [name, inner] of Object.entries(value)) {
    if (name.toLowerCase() === 'schemas') continue
    applyToPath(target, { op, path: name, value: inner })
  }
}

function applyToPath(target: Target, operation: Operation & { path: string }): void {
  const { type, resource, omissions } = target
  const { path: text } = operation
  if (isExtension(type, text)) {
    applyToExtension(target, operation)
    return
  }
  const path = parsePatchPath(text)
  const found = requireWritable(findAttribute(type, path.name, path.urn), path.name, omissions)
  if (!found) return
  const { attribute, schema } = found
  if (path.sub !== undefined && !findSubAttribute(attribute, path.sub)) {
    omissions.add(`${attribute.name}.${path.sub}`, 'no attribute of the schema')
    return
  }
  if (path.filter && !attribute.multiValued)
    throw new ScimError(400, `${attribute.name} has one value, so the path must have no filter.`, {
      scimType: 'invalidPath',
    })
  target.comparisons += path.filter ? countComparisons(path.filter) : 0
  if (target.comparisons > maxOperations)
    throw new ScimError(413, `The paths have more than ${maxOperations} comparisons, and nothing was changed.`, {
      help: 'Send the operations in several requests.',
    })
  const current = holderOf(resource, type, schema)[attribute.name]
  const change = { ...operation, path, omissions }
  const next = attribute.multiValued
    ? changeList(attribute, (current ?? []) as Complex[], change)
    : changeSingle(attribute, current, change)
  assign(type, resource, { schema, attribute }, next)
}

/** What an operation changes of an attribute. */
interface Change {
  op: Operation['op']
  path: PatchPath
  value: unknown
  omissions: Omissions
}

function applyToExtension({ type, resource, omissions }: Target, { op, value }: Operation): void {
  const id = type.extension?.id ?? ''
  const values = op === 'remove' ? {} : { ...(resource[id] as object), ...readExtension(type, value, omissions) }
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
  change: Change,
): Value | undefined {
  const { op, path, value, omissions } = change
  if (path.sub !== undefined) {
    const changed = changeSub(attribute, { ...(current as Complex | undefined) }, path.sub, change)
    return Object.keys(changed).length > 0 ? changed : undefined
  }
  if (op === 'remove') return undefined
  // Null does not say whether the user may sign in.
  if (value === null) return attribute.name === 'active' ? (current as Value) : undefined
  const given = readValue(attribute, value, omissions)
  // What cannot be used changes nothing.
  if (given === undefined) return current as Value | undefined
  // A complex value keeps the sub-attributes that the operation does not name (RFC 7644, section 3.5.2.3).
  return attribute.type === 'complex' ? { ...(current as Complex | undefined), ...(given as Complex) } : given
}

function changeSub(
  attribute: Attribute,
  complex: Complex,
  name: string,
  { op, value, omissions }: Pick<Change, 'op' | 'value' | 'omissions'>,
): Complex {
  const sub = findSubAttribute(attribute, name)
  if (!sub || sub.mutability === 'readOnly') return complex
  if (op === 'remove' || value === null || value === undefined) delete complex[sub.name]
  else {
    const read = readSimple(sub, value, omissions, attribute.name)
    if (read !== undefined) complex[sub.name] = read
  }
  return complex
}

function changeList(attribute: Attribute, current: Complex[], change: Change): Complex[] {
  const {
    op,
    path: { filter, sub },
    value,
    omissions,
  } = change
  if (filter === undefined && sub === undefined) {
    if (op === 'remove' && value === undefined) return []
    const given = (readValue(attribute, value, omissions) ?? []) as Complex[]
    // Entra names the values to remove in the operation instead of its path. A list without values removes none.
    if (op === 'remove') return removeValues(current, given)
    if (op === 'add') return addValues(attribute, current, given, omissions)
    return isEmptyList(value) || given.length > 0 ? given : current
  }
  // Without a filter, null names no value.
  if (filter === undefined && op !== 'remove' && (value === null || value === undefined)) return current
  const isTarget = (item: Complex) =>
    filter === undefined
      ? op !== 'remove' || value === undefined || isNamedBy(attribute, item, sub, value)
      : matchesValue(attribute, item, filter)
  if (op === 'remove' && sub === undefined) return current.filter((item) => !isTarget(item))
  const [given = {}] = (sub === undefined && (readValue(attribute, value, omissions) as Complex[] | undefined)) || []
  const write = (item: Complex): Complex =>
    sub === undefined ? { ...item, ...given } : changeSub(attribute, { ...item }, sub, change)
  const needsValue = findSubAttribute(attribute, 'value') !== undefined
  const keepValues = (items: Complex[]) => items.filter((item) => 'value' in item || !needsValue)
  if (current.some(isTarget))
    return keepOnePrimary(keepValues(current.map((item) => (isTarget(item) ? write(item) : item))))
  if (op === 'remove') return current
  // Entra adds `emails[type eq "work"].value` to a user without one: the filter describes the new value.
  const described = filter === undefined ? {} : describe(attribute, filter, omissions)
  if (described === undefined)
    throw new ScimError(400, `No value of ${attribute.name} matches the filter of the path.`, { scimType: 'noTarget' })
  return addValues(attribute, current, keepValues([write(described)]), omissions)
}

/** Reports whether a list is empty, which a client sends to remove all values of an attribute. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Reports whether the value of an operation has that of a sub-attribute. */
function isNamedBy(attribute: Attribute, item: Complex, name: string | undefined, value: unknown): boolean {
  const sub = name === undefined ? undefined : findSubAttribute(attribute, name)
  return sub !== undefined && [value].flat().some((given) => unwrap(given) === item[sub.name])
}

/** Equal for equal values, so that lists are compared in time in proportion to their length. */
const keyOf = (item: Complex) => JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Removes the given values: by their `value`, or those that are equal if it has none. */
function removeValues(current: Complex[], given: Complex[]): Complex[] {
  const values = new Set<Complex[string] | undefined>(given.flatMap((item) => ('value' in item ? [item['value']] : [])))
  const keys = new Set(given.flatMap((item) => ('value' in item ? [] : [keyOf(item)])))
  return current.filter((item) => !values.has(item['value']) && !keys.has(keyOf(item)))
}

/** Appends the values that are new, up to `maxValues`; a new primary value replaces the former one. */
function addValues(attribute: Attribute, current: Complex[], given: Complex[], omissions: Omissions): Complex[] {
  const known = new Set(current.map(keyOf))
  const added = given.filter((item) => !known.has(keyOf(item)))
  const room = Math.max(maxValues - current.length, 0)
  if (added.length > room) omissions.add(attribute.name, `at most ${maxValues} values are stored`)
  return keepOnePrimary([...current, ...added.slice(0, room)])
}

/** Counts the comparisons of a filter, each of which looks at every value of a list. */
function countComparisons(filter: Filter): number {
  if (filter.kind === 'compare') return 1
  if (filter.kind === 'matches') return countComparisons(filter.filter)
  return countComparisons(filter.left) + countComparisons(filter.right)
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
function describe(attribute: Attribute, filter: Filter, omissions: Omissions): Complex | undefined {
  if (filter.kind === 'and') {
    const [left, right] = [describe(attribute, filter.left, omissions), describe(attribute, filter.right, omissions)]
    return left && right && { ...left, ...right }
  }
  const sub =
    filter.kind === 'compare' && filter.operator === 'eq' ? findSubAttribute(attribute, filter.path.name) : undefined
  const value = sub && filter.kind === 'compare' ? readSimple(sub, filter.value, omissions, attribute.name) : undefined
  return sub && value !== undefined ? { [sub.name]: value } : undefined
}
