import * as z from 'zod/mini'
import { json, type Schema } from './endpoint.ts'

interface BodyOptions {
  isOptional?: true
  maxBytes?: number
}

/**
 * Describes the JSON body of a call that creates or replaces an entity. Unknown members are ignored, so that a client may
 * send an entity as it read it. The body of a PUT has no defaults: a missing field is an error.
 */
export function entity<S extends Schema>(schema: S, options: BodyOptions = {}) {
  return { ...json(schema, options), kind: 'entity' as const }
}

/**
 * Describes the JSON body of an action, or of a change of memberships or roles. Unknown members are errors at any depth: a
 * misspelt condition would otherwise be ignored, and the action would do more than intended.
 */
export function action<S extends Schema>(schema: S, options: BodyOptions = {}) {
  return { ...json(refuseUnknown(schema), options), kind: 'action' as const }
}

/** Describes the JSON body of a message that another system defines. Unknown members are ignored. */
export function message<S extends Schema>(schema: S, options: BodyOptions = {}) {
  return { ...json(schema, options), kind: 'message' as const }
}

/** The members that have defaults in a creation, with their values. */
type Defaults<Fields extends z.core.$ZodLooseShape> = { [Name in keyof Fields]?: z.core.output<Fields[Name]> }

/** Returns the fields of an entity for its creation, where a missing field has its default. */
export function withDefaults<Fields extends z.core.$ZodLooseShape, D extends Defaults<Fields>>(
  fields: Fields,
  defaults: D,
) {
  const entries = Object.entries(fields).map(([name, field]) => {
    const value = defaults[name]
    return [name, value === undefined ? field : z._default(field, value)]
  })
  return Object.fromEntries(entries) as {
    [Name in keyof Fields]: Name extends keyof D ? z.ZodMiniDefault<Fields[Name]> : Fields[Name]
  }
}

const strictSchemas = new WeakMap<Schema, Schema>()

/** Returns the schema with unknown members of its objects as errors, at any depth. */
export function refuseUnknown<S extends Schema>(schema: S): S {
  const known = strictSchemas.get(schema)
  if (known) return known as S
  const changed = changeParts((schema as unknown as { _zod: { def: Definition } })._zod.def)
  const strict = changed ? z.core.clone(schema as never, changed as never) : schema
  strictSchemas.set(schema, strict)
  return strict as S
}

/** The parts of a schema that are schemas themselves. */
interface Definition {
  type: string
  shape?: Record<string, Schema>
  element?: Schema
  innerType?: Schema
  options?: Schema[]
  in?: Schema
  out?: Schema
  valueType?: Schema
}

/** Returns the definition with strict parts; undefined for a schema without parts. */
function changeParts(def: Definition): Definition | undefined {
  const { shape, element, innerType, options, valueType } = def
  if (shape) {
    const strict = Object.entries(shape).map(([name, field]) => [name, refuseUnknown(field)])
    return { ...def, shape: Object.fromEntries(strict), catchall: z.never() } as Definition
  }
  if (element) return { ...def, element: refuseUnknown(element) }
  if (innerType) return { ...def, innerType: refuseUnknown(innerType) }
  if (options) return { ...def, options: options.map(refuseUnknown) }
  if (def.in && def.out) return { ...def, in: refuseUnknown(def.in), out: refuseUnknown(def.out) }
  return valueType && { ...def, valueType: refuseUnknown(valueType) }
}
