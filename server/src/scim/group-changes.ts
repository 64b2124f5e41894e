import { type Filter, type PatchPath, parsePatchPath } from './filter.ts'
import type { Omissions } from './omissions.ts'
import { applyPatch, isEmptyList, type Operation } from './patch.ts'
import { groupType } from './schema.ts'
import { ScimError } from './scim-error.ts'
import { type Complex, isObject, type Resource, readResource, readValue } from './values.ts'

/** The most members that one request adds or removes. */
const maxMembers = 10_000

/** What a request changes of the members of a group. */
export interface MembersChange {
  /** The members of before are removed, except those in `add`. */
  replacesAll: boolean
  add: Set<string>
  remove: Set<string>
  /** The number of members that the request has and that cannot be added. */
  unusable: number
}

export interface GroupChange {
  /** The attributes besides the members. */
  attributes: Resource
  members: MembersChange
}

const createChange = (): MembersChange => ({ replacesAll: false, add: new Set(), remove: new Set(), unusable: 0 })

/** Reads a whole group: POST and PUT. Without members, a PUT removes them all. */
export function readGroup(body: unknown, omissions: Omissions): GroupChange {
  const { members, ...attributes } = readResource(groupType, body, omissions)
  const change = createChange()
  change.replacesAll = true
  for (const id of readIds(members, change, omissions)) change.add.add(id)
  return { attributes, members: limit(change) }
}

/** Applies the operations of a PATCH to the attributes of a group, and returns what they change of its members. */
export function patchGroup(current: Resource, operations: Operation[], omissions: Omissions): GroupChange {
  const change = createChange()
  const others: Operation[] = []
  for (const operation of operations.flatMap(splitMembers)) {
    const path = operation.path === undefined ? undefined : parsePatchPath(operation.path)
    if (path?.name.toLowerCase() === 'members') patchMembers(change, operation, path, omissions)
    else others.push(operation)
  }
  return { attributes: applyPatch(groupType, current, others, omissions), members: limit(change) }
}

/** Divides an operation without a path into one for the members and one for the rest. */
function splitMembers(operation: Operation): Operation[] {
  const { path, value, op } = operation
  if (path !== undefined || !isObject(value)) return [operation]
  return Object.entries(value).flatMap(([name, inner]) =>
    ['schemas', 'id'].includes(name.toLowerCase()) ? [] : [{ op, path: name, value: inner }],
  )
}

function patchMembers(
  change: MembersChange,
  { op, value }: Operation,
  { filter, sub }: PatchPath,
  omissions: Omissions,
): void {
  const ids = filter ? idsOfFilter(filter) : readIds(value, op === 'remove' ? createChange() : change, omissions)
  if (filter && op !== 'remove') throw invalidPath('Members are added by their value, without a filter in the path.')
  if (!filter && sub !== undefined && op === 'remove')
    throw invalidPath('Members are removed by members[value eq "…"].')
  const removesAll = op === 'remove' && value === undefined && !filter
  const replacesAll = op === 'replace' && (ids.length > 0 || isEmptyList(value))
  if (removesAll || replacesAll) {
    change.replacesAll = true
    change.add.clear()
    change.remove.clear()
  }
  for (const id of ids) {
    if (op === 'remove') {
      change.add.delete(id)
      change.remove.add(id)
    } else {
      change.remove.delete(id)
      change.add.add(id)
    }
  }
}

/** Returns the ids of the members of a request. Others than users, and members without an id, are omitted. */
function readIds(value: unknown, change: MembersChange, omissions: Omissions): string[] {
  const members = groupType.schema.attributes.find(({ name }) => name === 'members')
  const items = (members && readValue(members, value, omissions)) as Complex[] | undefined
  return (items ?? []).flatMap(({ value: id, type }) => {
    if (typeof id === 'string' && (typeof type !== 'string' || type.toLowerCase() === 'user')) return id
    change.unusable++
    omissions.add('members', 'only users can be members, by their ids')
    return []
  })
}

/** Returns the ids of a filter such as `value eq "1" or value eq "2"`. */
function idsOfFilter(filter: Filter): string[] {
  if (filter.kind === 'or') return [...idsOfFilter(filter.left), ...idsOfFilter(filter.right)]
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'value')
    return [String(filter.value)]
  throw invalidPath('Members are selected by members[value eq "…"].')
}

const invalidPath = (detail: string) => new ScimError(400, detail, { scimType: 'invalidPath' })

/** Throws 413 for too many members. */
function limit(change: MembersChange): MembersChange {
  const count = change.add.size + change.remove.size + change.unusable
  if (count <= maxMembers) return change
  throw new ScimError(413, `The request has ${count} members, more than ${maxMembers}, and nothing was changed.`, {
    help: 'Send them in several requests.',
  })
}
