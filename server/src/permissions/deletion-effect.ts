import {
  type Consistency,
  type ObjectReference,
  type PermissionEngine,
  PermissionFault,
  type Relationship,
  type RelationshipFilter,
  type SchemaReflection,
  toExactFilter,
} from '@passport/permissions'
import { createDeadline, createYielder } from './yield-if-due.ts'

/** Subjects of one type that would lose, or gain, one permission on one resource. */
export interface Effect {
  resource: ObjectReference
  permission: string
  subjectType: string
  count: number
  sample: string[]
}

/** Distinct subjects of one type that would lose or gain one permission on resources of one type. */
export interface TotalEffect {
  resourceType: string
  permission: string
  subjectType: string
  subjects: number
  resources: number
}

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
  const losses = createTally()
  const gains = createTally()
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
    const resourcesByKey = [
      ...new Set([...before.ids, ...afterwards.ids, ...before.excluded, ...afterwards.excluded]),
    ].filter((id) => isKnown(before, id) && isKnown(afterwards, id))
    losses.add(
      target,
      resourcesByKey.filter((id) => includesSubject(before, id) && !includesSubject(afterwards, id)),
    )
    gains.add(
      target,
      resourcesByKey.filter((id) => includesSubject(afterwards, id) && !includesSubject(before, id)),
    )
  }
  return {
    relationships,
    losses: losses.effects,
    gains: gains.effects,
    lossesInTotal: losses.inTotal(),
    gainsInTotal: gains.inTotal(),
    isComplete,
  }
}

const fresh: { consistency: Consistency } = { consistency: { kind: 'fullyConsistent' } }

async function readMatching(engine: PermissionEngine, filter: RelationshipFilter) {
  const { items, cursor } = await engine.readRelationships(filter, { limit: maxRelationships }, fresh)
  return { relationships: items, isAll: cursor === undefined }
}

/** Returns the listed relationships that exist, as stored. */
async function readStored(engine: PermissionEngine, listed: Relationship[]) {
  const { readAt: token } = await engine.readSchema()
  const relationships: Relationship[] = []
  for (const relationship of listed) {
    const consistency = { kind: 'atLeastAsFresh' as const, token }
    relationships.push(
      ...(await engine.readRelationships(toExactFilter(relationship), { limit: 1 }, { consistency })).items,
    )
  }
  return { relationships, isAll: true }
}

/** Collects effects, individually and in total. */
function createTally() {
  const effects: Effect[] = []
  const totals = new Map<string, { target: PermissionOfResource; subjects: Set<string>; resources: number }>()
  return {
    effects,
    add: (target: PermissionOfResource, ids: string[]) => {
      if (ids.length === 0) return
      effects.push({ ...target, count: ids.length, sample: ids.slice(0, maxSample) })
      const key = JSON.stringify([target.resource.type, target.permission, target.subjectType])
      const total = totals.get(key) ?? { target, subjects: new Set(), resources: 0 }
      for (const id of ids) total.subjects.add(id)
      total.resources += 1
      totals.set(key, total)
    },
    inTotal: (): TotalEffect[] =>
      [...totals.values()].map(({ target: { resource, permission, subjectType }, subjects, resources }) => ({
        resourceType: resource.type,
        permission,
        subjectType,
        subjects: subjects.size,
        resources,
      })),
  }
}

interface PermissionOfResource {
  resource: ObjectReference
  permission: string
  subjectType: string
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

/** Returns the subjects that have the permission, even conditionally. A fault yields an incomplete empty result. */
async function findSubjects(
  graph: Pick<PermissionEngine, 'lookupSubjects'>,
  target: PermissionOfResource,
): Promise<Subjects> {
  try {
    const { items, cursor } = await graph.lookupSubjects({ ...target, limit: maxSubjects })
    // A subject excluded only conditionally may have the permission.
    const fullyExcluded = items
      .flatMap(({ excluded }) => excluded)
      .filter((relationship) => relationship.permissionship === 'hasPermission')
    return {
      ids: new Set(items.map(({ id }) => id)),
      excluded: new Set(fullyExcluded.map(({ id }) => id)),
      isWhole: cursor === undefined,
      ...(cursor !== undefined && { last: items.at(-1)?.id }),
    }
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    return { ids: new Set(), excluded: new Set(), isWhole: false }
  }
}

const isKnown = ({ last }: Subjects, id: string) => last === undefined || id <= last

/** Reports whether a subject has the permission, individually or through the wildcard. */
const includesSubject = ({ ids, excluded }: Subjects, id: string) => ids.has(id) || (ids.has('*') && !excluded.has(id))
