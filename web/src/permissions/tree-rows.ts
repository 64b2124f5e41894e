import { printReference } from './reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** A line of the tree: a type, an object of it, a relation of that, or who stands in it. */
export interface TreeRow {
  /** Where it is, and what it is open by. */
  path: string
  parent: string | undefined
  level: number
  kind: 'type' | 'object' | 'relation' | 'subject'
  text: string
  /** How many lines are below it; one without any cannot be opened. */
  size: number
  isOpen: boolean
  /** What a line stands for: an object as a reference, a subject by the key of its relationship. */
  at: string | undefined
}

/** Relationships by type, object and relation, in the order in which they came. */
type Shelves = Map<string, Map<string, Map<string, ShownRelationship[]>>>

export function shelve(rows: readonly ShownRelationship[]): Shelves {
  const shelves: Shelves = new Map()
  for (const row of rows) {
    const { resource, relation } = row.relationship
    const objects = getOrAdd(shelves, resource.type, () => new Map())
    const relations = getOrAdd(objects, resource.id, () => new Map())
    getOrAdd(relations, relation, (): ShownRelationship[] => []).push(row)
  }
  return shelves
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** The lines that are to be seen; who stands in a relation opens into its own relations where these are known. */
export function treeRows(shelves: Shelves, isOpen: (path: string, kind: TreeRow['kind']) => boolean): TreeRow[] {
  const lines: TreeRow[] = []
  const add = (line: Omit<TreeRow, 'isOpen'>, below: () => void) => {
    const isUnfolded = line.size > 0 && isOpen(line.path, line.kind)
    lines.push({ ...line, isOpen: isUnfolded })
    if (isUnfolded) below()
  }

  const relationsBelow = (
    relations: Map<string, ShownRelationship[]>,
    { path, level, way }: { path: string; level: number; way: readonly string[] },
  ) => {
    for (const [relation, stored] of relations) {
      const own = `${path}#${relation}`
      add(
        { path: own, parent: path, level, kind: 'relation', text: relation, size: stored.length, at: undefined },
        () => {
          for (const row of stored) subjectLine(row, { parent: own, level: level + 1, way })
        },
      )
    }
  }
  const subjectLine = (
    { key, relationship }: ShownRelationship,
    { parent, level, way }: { parent: string; level: number; way: readonly string[] },
  ) => {
    const { type, id, relation } = relationship.subject
    const object = printReference({ type, id })
    const known = way.includes(object) ? undefined : shelves.get(type)?.get(id)
    const below = relation === undefined ? known : only(known, relation)
    const path = `${parent}@${printReference(relationship.subject)}`
    add(
      {
        path,
        parent,
        level,
        kind: 'subject',
        text: printReference(relationship.subject),
        size: below?.size ?? 0,
        at: key,
      },
      () => below && relationsBelow(below, { path, level: level + 1, way: [...way, object] }),
    )
  }

  for (const [type, objects] of shelves) {
    add(
      { path: type, parent: undefined, level: 1, kind: 'type', text: type, size: objects.size, at: undefined },
      () => {
        for (const [id, relations] of objects) {
          const object = printReference({ type, id })
          add(
            { path: object, parent: type, level: 2, kind: 'object', text: object, size: relations.size, at: object },
            () => relationsBelow(relations, { path: object, level: 3, way: [object] }),
          )
        }
      },
    )
  }
  return lines
}

/** Of a set, only those who stand in its relation. */
function only(relations: Map<string, ShownRelationship[]> | undefined, relation: string) {
  const stored = relations?.get(relation)
  return stored ? new Map([[relation, stored]]) : relations
}
