import { isValidText } from '../http/storable-text.ts'
import type { Omissions } from './omissions.ts'
import {
  type Attribute,
  type FoundAttribute,
  findAttribute,
  findSubAttribute,
  isExtension,
  type ResourceType,
  type Schema,
} from './schema.ts'
import { invalidValue } from './scim-error.ts'

/** A complex value: sub-attributes by their canonical names. */
export type Complex = { [name: string]: string | number | boolean }
export type Value = string | number | boolean | Complex | Complex[]
/** The attributes of a resource by their canonical names; those of an extension are below its URN. */
export type Resource = { [name: string]: Value | { [name: string]: Value } }

/** The longest text that is stored, in UTF-16 code units: no attribute of Entra or Okta has more than 1024 characters. */
const maxText = 16 * 1024
/** The longest text that identifies a resource. */
const maxId = 512
/** The most values of an attribute of a user. */
export const maxValues = 100
/** Attributes that every client may send, and that only the server sets. */
const setByServer = ['schemas', 'id', 'meta']

/**
 * Converts the JSON of a request to attributes of a resource type. Names match in any letter case. Unknown and read-only
 * attributes (RFC 7644, section 3.3) and unusable values are omitted. Throws 400 `invalidValue` for a body that is no
 * object, and for an `active` that cannot be read.
 */
export function readResource(type: ResourceType, input: unknown, omissions: Omissions): Resource {
  if (!isObject(input)) throw invalidValue('The body must be a JSON object with the attributes of the resource.')
  const resource: Resource = {}
  for (const [name, value] of Object.entries(input)) {
    if (isExtension(type, name)) {
      const values = readExtension(type, value, omissions)
      if (Object.keys(values).length > 0) resource[type.extension?.id ?? name] = values
      continue
    }
    const found = requireWritable(findAttribute(type, name), name, omissions)
    const read = found && readValue(found.attribute, value, omissions)
    if (found && read !== undefined) resource[found.attribute.name] = read
  }
  return resource
}

/** Returns an attribute that clients set, or undefined, which is reported. */
export function requireWritable(
  found: FoundAttribute | undefined,
  name: string,
  omissions: Omissions,
): FoundAttribute | undefined {
  if (found && found.attribute.mutability !== 'readOnly') return found
  if (found) omissions.add(found.attribute.name, 'read-only')
  else if (!setByServer.includes(name.toLowerCase())) omissions.add(name, 'no attribute of the schema')
  return undefined
}

/** Converts the value of an extension to its attributes. */
export function readExtension(type: ResourceType, value: unknown, omissions: Omissions): { [name: string]: Value } {
  if (value === null || value === undefined) return {}
  const id = type.extension?.id ?? ''
  if (!isObject(value)) {
    omissions.add(id, 'no object')
    return {}
  }
  const values: { [name: string]: Value } = {}
  for (const [name, inner] of Object.entries(value)) {
    const found = requireWritable(findAttribute(type, name, id), name, omissions)
    const read = found && readValue(found.attribute, inner, omissions)
    if (found && read !== undefined) values[found.attribute.name] = read
  }
  return values
}

/** Converts a value to that of an attribute; undefined for null, an empty list, and a value that cannot be used. */
export function readValue(attribute: Attribute, value: unknown, omissions: Omissions): Value | undefined {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readSingle(attribute, value, omissions)
  const items = Array.isArray(value) ? value : [value]
  const isMembers = attribute.name === 'members'
  if (items.length > maxValues && !isMembers)
    omissions.add(attribute.name, `only the first ${maxValues} of ${items.length} values are stored`)
  const values = (isMembers ? items : items.slice(0, maxValues))
    .map((item) => readComplex(attribute, item, omissions))
    .filter((item) => Object.keys(item).length > 0 || isMembers)
  return values.length > 0 ? keepOnePrimary(values) : undefined
}

function readSingle(attribute: Attribute, value: unknown, omissions: Omissions): Value | undefined {
  if (attribute.type !== 'complex') return readSimple(attribute, value, omissions)
  // Clients send a single manager as a list, or only its id.
  const complex = readComplex(attribute, Array.isArray(value) ? value[0] : value, omissions)
  return Object.keys(complex).length > 0 ? complex : undefined
}

/** Converts a value to a complex one; a simple value is its `value`, or its `formatted` one. */
function readComplex(attribute: Attribute, input: unknown, omissions: Omissions): Complex {
  if (input === null || input === undefined) return {}
  if (!isObject(input)) {
    const main = findSubAttribute(attribute, 'value') ?? findSubAttribute(attribute, 'formatted')
    const value = main && readSimple(main, input, omissions, attribute.name)
    return main === undefined || value === undefined ? {} : { [main.name]: value }
  }
  const complex: Complex = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue
    const sub = findSubAttribute(attribute, name)
    // Of members, only their ids count.
    if (!sub && attribute.name !== 'members') omissions.add(`${attribute.name}.${name}`, 'no attribute of the schema')
    if (!sub || sub.mutability === 'readOnly') continue
    const read = readSimple(sub, value, omissions, attribute.name)
    if (read !== undefined) complex[sub.name] = read
  }
  return complex
}

/**
 * Converts a simple value. Entra sends booleans as texts, such as `"False"`, and other clients texts as numbers, in a list
 * or in an object. Returns undefined for a value that cannot be used. Throws 400 `invalidValue` for such an `active`.
 */
export function readSimple(
  { name, type, isId }: Attribute,
  input: unknown,
  omissions: Omissions,
  parent?: string,
): string | number | boolean | undefined {
  const value = unwrap(input)
  if (value === null || value === undefined) return undefined
  const omit = (reason: string) => {
    omissions.add(parent === undefined ? name : `${parent}.${name}`, reason)
    return undefined
  }
  if (type === 'boolean') {
    const read = toBoolean(value)
    if (read !== undefined || value === '') return read
    // To ignore it could keep the access of a leaver.
    if (name === 'active' && parent === undefined) throw invalidValue('active must be true or false.')
    return omit('neither true nor false')
  }
  if (type === 'integer') return Number.isSafeInteger(value) ? (value as number) : omit('no integer')
  // A larger integer was rounded when the JSON was parsed, and would become another text.
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value === 'object' || (typeof value === 'number' && (isRounded || !Number.isFinite(value))))
    return omit('no text')
  const text = String(value)
  if (!isValidText(text)) return omit('characters that cannot be stored')
  const maxLength = isId ? maxId : maxText
  if (text.length > maxLength) return omit(`more than ${maxLength} characters`)
  return isId && text.trim() === '' ? omit('blank') : text
}

/** Returns the single value of a list, and the `value` of an object: some clients wrap a text in them. */
export function unwrap(value: unknown): unknown {
  const [single] = Array.isArray(value) && value.length === 1 ? value : [value]
  return isObject(single) && 'value' in single ? single['value'] : single
}

/** Reads a boolean in the forms that clients send; undefined for any other value. */
export function toBoolean(value: unknown): boolean | undefined {
  const text = String(value).toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** At most one value is the primary one; the last counts (RFC 7643, section 2.4). */
export function keepOnePrimary(values: Complex[]): Complex[] {
  const last = values.findLastIndex(({ primary }) => primary === true)
  return values.map((value, index) =>
    value['primary'] === true && index !== last ? { ...value, primary: false } : value,
  )
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the object that has the attributes of a schema: the resource, or its extension. */
export function holderOf(resource: Resource, type: ResourceType, schema: Schema): { [name: string]: Value } {
  if (schema === type.schema) return resource as { [name: string]: Value }
  return (resource[schema.id] ?? {}) as { [name: string]: Value }
}
