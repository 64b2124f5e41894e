import type { Consistency, PermissionEngine } from '@passport/permissions/engine'
import { exactFilter } from '@passport/permissions/exact-filter'
import { PermissionFault } from '@passport/permissions/fault'
import type { SchemaReflection } from '@passport/permissions/reflection'
import type { ObjectReference, Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import { deadlineIn, takingTurns } from './turns.ts'

/** Subjects of one type who would lose, or gain, one permission on one resource. */
export interface Effect {
  resource: ObjectReference
  permission: string
  subjectType: string
  count: number
  sample: string[]
}

/** Subjects of one type, each once, who would lose or gain one permission on resources of one type. */
export interface TotalEffect {
  resourceType: string
  permission: string
  subjectType: string
  subjects: number
  resources: number
}

/** More is not worked out: whoever deletes more than this needs no list of names. */
const maxRelationships = 100
const maxResources = 50
/** Of a list, which somebody chose one by one, more is looked at. */
const maxResourcesOfList = 200
const maxSubjects = 1000
const maxSample = 10
const maxMs = 5000

/**
 * Who would lose what, and gain what, if relationships were deleted, those that fit a filter or those of a list: on the
 * resources that they are of and those that stand on these, by groups and by arrows, for every permission, the subjects
 * before and after. All are taken away together: whom one of them is left to loses nothing. `isComplete` is false where
 * anything was left out.
 */
export async function effectOfDeleting(
  engine: PermissionEngine,
  what: RelationshipFilter | Relationship[],
  isOver = deadlineIn(maxMs),
) {
  const { relationships, isAll } = Array.isArray(what) ? await storedOf(engine, what) : await fitting(engine, what)
  const after = engine.suppose?.({ remove: relationships })
  if (!after) throw new Error('The engine supposes nothing')
  const schema = await engine.reflectSchema()
  const upTo = Array.isArray(what) ? maxResourcesOfList : maxResources
  const { resources, isWhole } = await resourcesThrough(engine, schema, relationships, upTo)
  const losses = createTally()
  const gains = createTally()
  let isComplete = isAll && isWhole
  const takeTurns = takingTurns()
  for (const place of placesOf(schema, resources)) {
    if (isOver()) {
      isComplete = false
      break
    }
    await takeTurns()
    const had = await subjectsOf(engine, place)
    await takeTurns()
    const has = await subjectsOf(after, place)
    isComplete &&= had.isWhole && has.isWhole
    const known = [...new Set([...had.ids, ...has.ids, ...had.excluded, ...has.excluded])].filter(
      (id) => isWithin(had, id) && isWithin(has, id),
    )
    losses.add(
      place,
      known.filter((id) => isAmong(had, id) && !isAmong(has, id)),
    )
    gains.add(
      place,
      known.filter((id) => isAmong(has, id) && !isAmong(had, id)),
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

async function fitting(engine: PermissionEngine, filter: RelationshipFilter) {
  const { items, cursor } = await engine.readRelationships(filter, { limit: maxRelationships }, fresh)
  return { relationships: items, isAll: cursor === undefined }
}

/** Those of the list that are there, as they are. */
async function storedOf(engine: PermissionEngine, listed: Relationship[]) {
  const { readAt: token } = await engine.readSchema()
  const relationships: Relationship[] = []
  for (const one of listed) {
    const consistency = { kind: 'atLeastAsFresh' as const, token }
    relationships.push(...(await engine.readRelationships(exactFilter(one), { limit: 1 }, { consistency })).items)
  }
  return { relationships, isAll: true }
}

/** Gathers effects, one by one and in total. */
function createTally() {
  const effects: Effect[] = []
  const totals = new Map<string, { place: Place; subjects: Set<string>; resources: number }>()
  return {
    effects,
    add: (place: Place, ids: string[]) => {
      if (ids.length === 0) return
      effects.push({ ...place, count: ids.length, sample: ids.slice(0, maxSample) })
      const key = JSON.stringify([place.resource.type, place.permission, place.subjectType])
      const total = totals.get(key) ?? { place, subjects: new Set(), resources: 0 }
      for (const id of ids) total.subjects.add(id)
      total.resources += 1
      totals.set(key, total)
    },
    inTotal: (): TotalEffect[] =>
      [...totals.values()].map(({ place: { resource, permission, subjectType }, subjects, resources }) => ({
        resourceType: resource.type,
        permission,
        subjectType,
        subjects: subjects.size,
        resources,
      })),
  }
}

interface Place {
  resource: ObjectReference
  permission: string
  subjectType: string
}

/** The resources of the relationships, and those that name one of these as a subject, and so on. */
async function resourcesThrough(
  engine: PermissionEngine,
  schema: SchemaReflection,
  removed: Relationship[],
  upTo: number,
) {
  const known = new Map<string, ObjectReference>()
  const add = (resource: ObjectReference) => known.set(`${resource.type}:${resource.id}`, resource)
  for (const { resource } of removed) add(resource)
  let isWhole = true
  const usedAsSubject = new Set(
    schema.definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))),
  )
  // A map that grows while it is walked: what is found is walked too.
  for (const { type, id } of known.values()) {
    if (known.size > upTo) return { resources: [...known.values()].slice(0, upTo), isWhole: false }
    if (!usedAsSubject.has(type)) continue
    const page = await engine.readRelationships({ subjectType: type, subjectId: id }, { limit: upTo })
    isWhole &&= page.cursor === undefined
    for (const { resource } of page.items) add(resource)
  }
  return { resources: [...known.values()], isWhole }
}

function placesOf(schema: SchemaReflection, resources: ObjectReference[]): Place[] {
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
  /** `*` is everyone but the excluded. */
  ids: Set<string>
  excluded: Set<string>
  isWhole: boolean
  /** Where it is not whole: of ids after this one nothing is known. */
  last?: string | undefined
}

/** Whoever has it, also conditionally; whom there is no answer for is nobody. */
async function subjectsOf(graph: Pick<PermissionEngine, 'lookupSubjects'>, place: Place): Promise<Subjects> {
  try {
    const { items, cursor } = await graph.lookupSubjects({ ...place, limit: maxSubjects })
    // Whom a condition leaves out may have it.
    const leftOut = items.flatMap(({ excluded }) => excluded).filter((one) => one.permissionship === 'hasPermission')
    return {
      ids: new Set(items.map(({ id }) => id)),
      excluded: new Set(leftOut.map(({ id }) => id)),
      isWhole: cursor === undefined,
      ...(cursor !== undefined && { last: items.at(-1)?.id }),
    }
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    return { ids: new Set(), excluded: new Set(), isWhole: false }
  }
}

const isWithin = ({ last }: Subjects, id: string) => last === undefined || id <= last

/** Whether somebody has it, by name or with everyone. */
const isAmong = ({ ids, excluded }: Subjects, id: string) => ids.has(id) || (ids.has('*') && !excluded.has(id))
