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

/** Limits of the preview: names are not useful for larger deletions. */
const maxRelationships = 100
const maxResources = 50
/** Listed relationships were chosen individually, so more resources are compared. */
const maxResourcesOfList = 200
const maxSubjects = 1000
const maxSample = 10
const maxMs = 5000

/**
 * Compares the subjects of every permission before and after deleting the relationships that match a filter or are in a
 * list. Covers their resources and the resources that depend on those, through groups and arrows. All relationships are
 * removed together: a subject that keeps access through another one loses nothing. `isComplete` is false if anything
 * was skipped.
 */
export async function computeDeletionEffect(
  engine: PermissionEngine,
  selection: RelationshipFilter | Relationship[],
  isExpired = createDeadline(maxMs),
) {
  const { relationships, isAll } = Array.isArray(selection)
    ? await readStored(engine, selection)
    : await readMatching(engine, selection)
  const after = engine.whatIf?.({ remove: relationships })
  if (!after) throw new Error('The engine does not support what-if queries')
  const schema = await engine.reflectSchema()
  const maxCount = Array.isArray(selection) ? maxResourcesOfList : maxResources
  const { resources, isWhole } = await findAffectedResources(engine, schema, relationships, maxCount)
  const losses: Difference[] = []
  const gains: Difference[] = []
  let isComplete = isAll && isWhole
  const yieldIfDue = createYielder()
  for (const target of listPermissions(schema, resources)) {
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

/** The subjects that lose, or gain, a permission. */
interface Difference extends PermissionOfResource {
  ids: string[]
}

/** Counts the subjects of each resource, with a sample. */
const toEffects = (differences: Difference[]) =>
  differences.map(({ ids, ...target }) => ({ ...target, count: ids.length, sample: ids.slice(0, maxSample) }))

/** Counts the distinct subjects, and the resources, of each type and permission. */
function toTotals(differences: Difference[]) {
  const byType = Map.groupBy(differences, ({ resource: { type: resourceType }, permission, subjectType }) =>
    JSON.stringify({ resourceType, permission, subjectType }),
  )
  return [...byType].map(([key, ofType]) => ({
    ...(JSON.parse(key) as Omit<PermissionOfResource, 'resource'> & { resourceType: string }),
    subjects: new Set(ofType.flatMap(({ ids }) => ids)).size,
    resources: ofType.length,
  }))
}

async function readMatching(engine: PermissionEngine, filter: RelationshipFilter) {
  const consistency = { kind: 'fullyConsistent' } as const
  const { items, cursor } = await engine.readRelationships(filter, { limit: maxRelationships }, { consistency })
  return { relationships: items, isAll: cursor === undefined }
}

/** Returns the listed relationships that exist, as stored. */
async function readStored(engine: PermissionEngine, listed: Relationship[]) {
  const consistency = { kind: 'atLeastAsFresh', token: (await engine.readSchema()).readAt } as const
  const relationships: Relationship[] = []
  for (const relationship of listed) {
    const page = await engine.readRelationships(toExactFilter(relationship), { limit: 1 }, { consistency })
    relationships.push(...page.items)
  }
  return { relationships, isAll: true }
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
  /** `*` is everyone except the excluded. */
  ids: Set<string>
  excluded: Set<string>
  isWhole: boolean
  /** For an incomplete result: nothing is known about ids after this one. */
  last?: string | undefined
}

/** Returns the subjects that have the permission, even conditionally. An error yields an incomplete empty result. */
async function findSubjects(
  graph: Pick<PermissionEngine, 'lookupSubjects'>,
  target: PermissionOfResource,
): Promise<Subjects> {
  try {
    const { items, cursor } = await graph.lookupSubjects({ ...target, limit: maxSubjects })
    // A subject excluded only conditionally may have the permission.
    const excluded = items.flatMap((item) =>
      item.excluded.filter(({ permissionship }) => permissionship !== 'conditional'),
    )
    return {
      ids: new Set(items.map(({ id }) => id)),
      excluded: new Set(excluded.map(({ id }) => id)),
      isWhole: cursor === undefined,
      ...(cursor !== undefined && { last: items.at(-1)?.id }),
    }
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    return { ids: new Set(), excluded: new Set(), isWhole: false }
  }
}

/** Returns the ids that have the permission in the first result only, as far as both are known. */
function subtract(first: Subjects, second: Subjects): string[] {
  const ids = new Set([...first.ids, ...second.ids, ...first.excluded, ...second.excluded])
  return [...ids].filter(
    (id) => isKnown(first, id) && isKnown(second, id) && includes(first, id) && !includes(second, id),
  )
}

const isKnown = ({ last }: Subjects, id: string) => last === undefined || id <= last

/** Reports whether a subject has the permission, individually or through the wildcard. */
const includes = ({ ids, excluded }: Subjects, id: string) => ids.has(id) || (ids.has('*') && !excluded.has(id))
