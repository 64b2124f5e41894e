import { parseAttributePath } from './filter.ts'
import { findAttribute, findSubAttribute, isExtension, type ResourceType } from './schema.ts'
import { isObject } from './values.ts'

/** The attributes that a client wants in the response, or does not (RFC 7644, section 3.9). */
export interface Selection {
  included: string[]
  excluded: string[]
}

/** Reports whether a response contains an attribute. */
export function isSelected({ included, excluded }: Selection, name: string): boolean {
  const findNamed = (paths: string[]) =>
    paths
      .flatMap((path) => parseAttributePath(path) ?? [])
      .filter((path) => path.name.toLowerCase() === name.toLowerCase())
  return included.length > 0
    ? findNamed(included).length > 0
    : findNamed(excluded).every(({ sub }) => sub !== undefined)
}

/** Returns the part of a resource that a client wants. Ids and schemas are always returned. */
export function project(
  type: ResourceType,
  json: Record<string, unknown>,
  { included, excluded }: Selection,
): Record<string, unknown> {
  if (included.length > 0) {
    const paths = included.flatMap((path) => toPath(type, path) ?? [])
    const result: Record<string, unknown> = { schemas: json['schemas'], id: json['id'] }
    for (const [name, value] of Object.entries(json)) {
      const kept = keep(value, tailsOf(paths, name))
      if (kept !== undefined) result[name] = kept
    }
    return result
  }
  const paths = excluded.flatMap((path) => toPath(type, path) ?? [])
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const kept = name === 'id' || name === 'schemas' ? value : drop(value, tailsOf(paths, name))
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

/** Returns the canonical steps of a path: the extension, the attribute and the sub-attribute. */
function toPath(type: ResourceType, text: string): string[][] | undefined {
  if (isExtension(type, text)) return [[type.extension?.id ?? '']]
  const path = parseAttributePath(text)
  if (!path) return undefined
  const { urn, name, sub } = path
  const found = findAttribute(type, name, urn)
  if (!found) {
    const common = ['meta', 'id', 'externalId', 'schemas'].find((known) => known.toLowerCase() === name.toLowerCase())
    return common === undefined ? undefined : [[common]]
  }
  const canonicalSub = sub === undefined ? undefined : findSubAttribute(found.attribute, sub)?.name
  const steps = [found.attribute.name, ...(canonicalSub === undefined ? [] : [canonicalSub])]
  return [found.schema === type.schema ? steps : [found.schema.id, ...steps]]
}

const tailsOf = (paths: string[][], name: string): string[][] =>
  paths.flatMap(([first, ...rest]) => (first === name ? [rest] : []))

/** Keeps what the paths name; an empty path keeps all. */
function keep(value: unknown, paths: string[][]): unknown {
  if (paths.length === 0) return undefined
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((item) => keep(item, paths)).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const kept = keep(inner, tailsOf(paths, name))
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

/** Drops what the paths name; an empty path drops all. */
function drop(value: unknown, paths: string[][]): unknown {
  if (paths.length === 0) return value
  if (paths.some((path) => path.length === 0)) return undefined
  if (Array.isArray(value)) return value.map((item) => drop(item, paths))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const kept = drop(inner, tailsOf(paths, name))
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}
