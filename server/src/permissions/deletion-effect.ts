import type { PermissionEngine, Supposition } from '@passport/permissions/engine'
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

/** More is not worked out: whoever deletes more than this needs no list of names. */
const maxRelationships = 100
const maxResources = 50
const maxSubjects = 1000
const maxSample = 10
const maxMs = 5000

/**
 * Who would lose what, and gain what, if the relationships that fit were deleted: on the resources that they are of and
 * those that stand on these, by groups and by arrows, for every permission, the subjects before and after. `isComplete`
 * is false where anything was left out.
 */
export async function effectOfDeleting(
  engine: PermissionEngine,
  filter: RelationshipFilter,
  isOver = deadlineIn(maxMs),
) {
  const page = await engine.readRelationships(
    filter,
    { limit: maxRelationships },
    { consistency: { kind: 'fullyConsistent' } },
  )
  const removed = page.items
  const after = engine.suppose?.({ added: [], removed })
  if (!after) throw new Error('The engine supposes nothing')
  const schema = await engine.reflectSchema()
  const { resources, isWhole } = await resourcesThrough(engine, schema, removed)
  const losses: Effect[] = []
  const gains: Effect[] = []
  let isComplete = page.cursor === undefined && isWhole
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
    const lost = had.ids.filter((id) => !has.ids.includes(id))
    const gained = has.ids.filter((id) => !had.ids.includes(id))
    if (lost.length > 0) losses.push(effectOf(place, lost))
    if (gained.length > 0) gains.push(effectOf(place, gained))
  }
  return { relationships: removed, losses, gains, isComplete }
}

interface Place {
  resource: ObjectReference
  permission: string
  subjectType: string
}

const effectOf = (place: Place, ids: string[]): Effect => ({
  ...place,
  count: ids.length,
  sample: ids.slice(0, maxSample),
})

/** The resources of the relationships, and those that name one of these as a subject, and so on. */
async function resourcesThrough(engine: PermissionEngine, schema: SchemaReflection, removed: Relationship[]) {
  const known = new Map<string, ObjectReference>()
  const add = (resource: ObjectReference) => known.set(`${resource.type}:${resource.id}`, resource)
  for (const { resource } of removed) add(resource)
  let isWhole = true
  const usedAsSubject = new Set(
    schema.definitions.flatMap(({ relations }) => relations.flatMap(({ allowed }) => allowed.map(({ type }) => type))),
  )
  // A map that grows while it is walked: what is found is walked too.
  for (const { type, id } of known.values()) {
    if (known.size >= maxResources) return { resources: [...known.values()].slice(0, maxResources), isWhole: false }
    if (!usedAsSubject.has(type)) continue
    const page = await engine.readRelationships({ subjectType: type, subjectId: id }, { limit: maxResources })
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

/** Whoever has it, also conditionally; whom there is no answer for is nobody. */
async function subjectsOf(graph: Supposition, place: Place): Promise<{ ids: string[]; isWhole: boolean }> {
  try {
    const page = await graph.lookupSubjects({ ...place, limit: maxSubjects })
    return { ids: page.items.map(({ id }) => id), isWhole: page.cursor === undefined }
  } catch (error) {
    if (!(error instanceof PermissionFault)) throw error
    return { ids: [], isWhole: false }
  }
}
