import {
  type ObjectReference,
  type PermissionEngine,
  PermissionError,
  type Relationship,
  type RelationshipFilter,
  type SchemaReflection,
  toExactFilter,
} from '@passport/permissions'
import { createDeadline, createYielder } from './yield-if-due.ts'

/** The maximum number of relationships that match a filter, and of resources to compare. */
const maxRelationships = 100
const maxResources = 50
/** The limit is higher for listed relationships, which were chosen individually. */
const maxResourcesOfList = 200
const maxSubjects = 1000
/** The number of subjects named per resource. */
const maxSample = 10
const maxMs = 5000

/**
 * Compares the subjects of permissions before and after a deletion of relationships, which match a filter or are in a
 * list. Covers the permissions of their resources, and of the resources that depend on these through usersets and
 * arrows. `isComplete` is false if a limit was exceeded or an evaluation failed.
 */
export async function computeDeletionEffect(
  engine: PermissionEngine,
  selection: RelationshipFilter | Relationship[],
  isExpired = createDeadline(maxMs),
) {
  const { relationships, isWhole } = Array.isArray(selection)
    ? await readStored(engine, selection)
    : await readMatching(engine, selection)
  const after = engine.whatIf?.({ remove: relationships })
  if (!after) throw new Error('The engine does not support what-if queries')
  const schema = await engine.reflectSchema()
  const maxCount = Array.isArray(selection) ? maxResourcesOfList : maxResources
  const affected = await findAffectedResources(engine, schema, relationships, maxCount)
  const losses: Difference[] = []
  const gains: Difference[] = []
  let isComplete = isWhole && affected.isWhole
  const yieldIfDue = createYielder()
  for (const target of listPermissions(schema, affected.resources)) {
    if (isExpired()) {
      isComplete = false
      break
    }
    await yieldIfDue()
    const before = await findSubjects(engine, target)
    await yieldIfDue()
    const afterwards = await findSubjects(after, target)
    isComplete &&= before.isWhole && afterwards.isWhole
    const [lost, gained] = [subtract(before, afterwards), subtract(afterwards, before)]
    if (lost.length > 0) losses.push({ ...target, ids: lost })
    if (gained.length > 0) gains.push({ ...target, ids: gained })
  }
  return {
    relationships,
    losses: toEffects(losses),
    gains: toEffects(gains),
    lossesInTotal: toTotals(losses),
    gainsInTotal: toTotals(gains),
    isComplete,
  }
}

interface PermissionOfResource {
  resource: ObjectReference
  permission: string
  subjectType: string
}

/** A permission of a resource, with the ids of the subjects that lose, or gain, it. */
interface Difference extends PermissionOfResource {
  ids: string[]
}

/** Counts the subjects of each permission, and names the first ones. */
const toEffects = (differences: Difference[]) =>
  differences.map(({ ids, ...target }) => ({ ...target, count: ids.length, sample: ids.slice(0, maxSample) }))

/** Counts the distinct subjects and the resources of each resource type, permission and subject type. */
function toTotals(differences: Difference[]) {
  const groups = Map.groupBy(differences, ({ resource: { type }, permission, subjectType }) =>
    [type, permission, subjectType].join(' '),
  )
  return [...groups].map(([key, group]) => {
    const [resourceType = '', permission = '', subjectType = ''] = key.split(' ')
    const subjects = new Set(group.flatMap(({ ids }) => ids)).size
    return { resourceType, permission, subjectType, subjects, resources: group.length }
  })
}

async function readMatching(engine: PermissionEngine, filter: RelationshipFilter) {
  const consistency = { kind: 'fullyConsistent' } as const
  const { items, cursor } = await engine.readRelationships(filter, { limit: maxRelationships }, { consistency })
  return { relationships: items, isWhole: cursor === undefined }
}

/** Returns the listed relationships that exist, as stored. */
async function readStored(engine: PermissionEngine, listed: Relationship[]) {
  const consistency = { kind: 'atLeastAsFresh', token: (await engine.readSchema()).readAt } as const
  const relationships: Relationship[] = []
  for (const relationship of listed) {
    const page = await engine.readRelationships(toExactFilter(relationship), { limit: 1 }, { consistency })
    relationships.push(...page.items)
  }
  return { relationships, isWhole: true }
}

/** Returns the resources of the relationships, and transitively the resources that have one of these as a subject. */
async function findAffectedResources(
  engine: PermissionEngine,
  schema: SchemaReflection,
  removed: Relationship[],
  maxCount: number,
) {
  const resourcesByKey = new Map<string, ObjectReference>()
  const add = (resource: ObjectReference) => resourcesByKey.set(`${resource.type}:${resource.id}`, resource)
  for (const { resource } of removed) add(resource)
  let isWhole = true
  const usedAsSubject = new Set(
    schema.definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))),
  )
  // Iterating a map also visits entries added during the iteration.
  for (const { type, id } of resourcesByKey.values()) {
    if (resourcesByKey.size > maxCount)
      return { resources: [...resourcesByKey.values()].slice(0, maxCount), isWhole: false }
    if (!usedAsSubject.has(type)) continue
    const page = await engine.readRelationships({ subjectType: type, subjectId: id }, { limit: maxCount })
    isWhole &&= page.cursor === undefined
    for (const { resource } of page.items) add(resource)
  }
  return { resources: [...resourcesByKey.values()], isWhole }
}

function listPermissions(schema: SchemaReflection, resources: ObjectReference[]): PermissionOfResource[] {
  return resources.flatMap((resource) => {
    const permissions = schema.definitions.find(({ name }) => name === resource.type)?.permissions ?? []
    return permissions.flatMap(({ name: permission, subjects }) =>
      subjects
        .filter(({ relation }) => relation === undefined)
        .map(({ type: subjectType }) => ({ resource, permission, subjectType })),
    )
  })
}

interface Subjects {
  /** May include `*`, which is every subject except the excluded ones. */
  ids: Set<string>
  excluded: Set<string>
  isWhole: boolean
  /** The last id of an incomplete result. */
  last?: string | undefined
}

/** Finds the subjects that have a permission, even conditionally. If the lookup fails, the result is incomplete and empty. */
async function findSubjects(
  engine: Pick<PermissionEngine, 'lookupSubjects'>,
  target: PermissionOfResource,
): Promise<Subjects> {
  try {
    const { items, cursor } = await engine.lookupSubjects({ ...target, limit: maxSubjects })
    // A subject excluded only conditionally may have the permission.
    const excluded = items.flatMap((item) =>
      item.excluded.filter(({ permissionship }) => permissionship !== 'conditional'),
    )
    return {
      ids: new Set(items.map(({ id }) => id)),
      excluded: new Set(excluded.map(({ id }) => id)),
      isWhole: cursor === undefined,
      last: cursor === undefined ? undefined : items.at(-1)?.id,
    }
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    return { ids: new Set(), excluded: new Set(), isWhole: false }
  }
}

/** Returns the ids that have the permission only in the first result, as far as both results are known. */
function subtract(first: Subjects, second: Subjects): string[] {
  const ids = new Set([...first.ids, ...second.ids, ...first.excluded, ...second.excluded])
  return [...ids].filter(
    (id) => isKnown(first, id) && isKnown(second, id) && includes(first, id) && !includes(second, id),
  )
}

const isKnown = ({ last }: Subjects, id: string) => last === undefined || id <= last

/** Reports whether a subject has the permission, individually or through the wildcard. */
const includes = ({ ids, excluded }: Subjects, id: string) => ids.has(id) || (ids.has('*') && !excluded.has(id))
