import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'

const shape = /^(?<type>[^:#@\s]+):(?<id>[^:#@\s]+)(?:#(?<relation>[^:#@\s]+))?$/

/** `document:handbook`, or whoever has a relation of it: `group:staff#member`. */
export const printReference = ({ type, id, relation }: SubjectReference): string =>
  relation ? `${type}:${id}#${relation}` : `${type}:${id}`

/** Reads what `printReference` writes; undefined for anything else. Whether the names are good is for the service to say. */
export function readReference(text: unknown): SubjectReference | undefined {
  const groups = typeof text === 'string' ? shape.exec(text)?.groups : undefined
  if (!groups) return undefined
  const { type = '', id = '', relation } = groups
  return relation === undefined ? { type, id } : { type, id, relation }
}

/** Without the relation: what is asked about is an object. */
export function readObject(text: unknown): ObjectReference | undefined {
  const reference = readReference(text)
  return reference && !reference.relation ? { type: reference.type, id: reference.id } : undefined
}
