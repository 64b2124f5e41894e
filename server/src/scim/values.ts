import {
  type Attribute,
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

const maxText = 1024
/** The most values of an attribute of a user. */
const maxValues = 100

/**
 * Converts the JSON of a request to attributes of a resource type. Names match in any letter case; read-only and unknown
 * attributes are ignored (RFC 7644, section 3.3). Throws 400 `invalidValue` for a value of another type.
 */
export function readResource(type: ResourceType, input: unknown): Resource {
  if (!isObject(input)) throw invalidValue('The body must be a JSON object with the attributes of the resource.')
  const resource: Resource = {}
  for (const [name, value] of Object.entries(input)) {
    if (isExtension(type, name)) {
      const values = readExtension(type, value)
      if (Object.keys(values).length > 0) resource[type.extension?.id ?? name] = values
      continue
    }
    const found = findAttribute(type, name)
    const read = found && found.attribute.mutability !== 'readOnly' ? readValue(found.attribute, value) : undefined
    if (found && read !== undefined) resource[found.attribute.name] = read
  }
  return resource
}

/** Converts the value of an extension to its attributes. */
export function readExtension(type: ResourceType, value: unknown): { [name: string]: Value } {
  if (value === null) return {}
  if (!isObject(value)) throw invalidValue(`${type.extension?.id} must be an object.`)
  const values: { [name: string]: Value } = {}
  for (const [name, inner] of Object.entries(value)) {
    const found = findAttribute(type, name, type.extension?.id)
    const read = found && readValue(found.attribute, inner)
    if (found && read !== undefined) values[found.attribute.name] = read
  }
  return values
}

/** Converts a value to that of an attribute; undefined for null and for an empty list, which unassign it. */
export function readValue(attribute: Attribute, value: unknown): Value | undefined {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readSingle(attribute, value)
  const items = Array.isArray(value) ? value : [value]
  if (items.length > maxValues && attribute.name !== 'members')
    throw invalidValue(`${attribute.name} has more than ${maxValues} values.`)
  const values = items
    .map((item) => readComplex(attribute, item))
    .filter((item) => Object.keys(item).length > 0 || attribute.name === 'members')
  return values.length > 0 ? keepOnePrimary(values) : undefined
}

function readSingle(attribute: Attribute, value: unknown): Value | undefined {
  if (attribute.type === 'complex') {
    // Clients send a single manager as a list, or only its id.
    const complex = readComplex(attribute, Array.isArray(value) ? value[0] : value)
    return Object.keys(complex).length > 0 ? complex : undefined
  }
  return readSimple(attribute, value)
}

/** Converts a value to a complex one; a simple value is its `value`. */
function readComplex(attribute: Attribute, input: unknown): Complex {
  if (!isObject(input)) {
    const main = findSubAttribute(attribute, 'value')
    const value = main && input !== null && input !== undefined ? readSimple(main, input) : undefined
    return value === undefined ? {} : { value: value as string }
  }
  const complex: Complex = {}
  for (const [name, value] of Object.entries(input)) {
    const sub = findSubAttribute(attribute, name)
    if (!sub || sub.mutability === 'readOnly' || value === null || value === undefined) continue
    complex[sub.name] = readSimple(sub, value, attribute.name)
  }
  return complex
}

/** Converts a simple value. Entra sends booleans as texts, such as `"False"`. */
export function readSimple({ name, type }: Attribute, value: unknown, parent?: string): string | number | boolean {
  const path = parent === undefined ? name : `${parent}.${name}`
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value
    const text = typeof value === 'string' ? value.toLowerCase() : ''
    if (text === 'true' || text === 'false') return text === 'true'
    throw invalidValue(`${path} must be true or false.`)
  }
  if (type === 'integer') {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    throw invalidValue(`${path} must be an integer.`)
  }
  // A larger integer was rounded when the JSON was parsed, and would become another text.
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  const text = typeof value === 'number' && !isRounded ? String(value) : value
  if (typeof text !== 'string') throw invalidValue(`${path} must be a text.`)
  if (text.length > maxText) throw invalidValue(`${path} has more than ${maxText} characters.`)
  return text
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
