import { printReference } from './reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** A line of the tree: a type, an object, a relation or a subject. */
export interface TreeRow {
  /** The position, which is also the key of its open state. */
  path: string
  parent: string | undefined
  level: number
  kind: 'type' | 'object' | 'relation' | 'subject'
  text: string
  /** The number of lines below; without any it cannot be opened. */
  size: number
  isOpen: boolean
  /** The selection of a line: an object's reference, or a subject's relationship key. */
  at: string | undefined
}

/** Relationships by type, object and relation, in their original order. */
type GroupedRelationships = Map<string, Map<string, Map<string, ShownRelationship[]>>>

export function groupRelationships(rows: readonly ShownRelationship[]): GroupedRelationships {
  const grouped: GroupedRelationships = new Map()
  for (const row of rows) {
    const { resource, relation } = row.relationship
    const objects = getOrAdd(grouped, resource.type, () => new Map())
    const relations = getOrAdd(objects, resource.id, () => new Map())
    getOrAdd(relations, relation, (): ShownRelationship[] => []).push(row)
  }
  return grouped
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}

/** Returns the visible lines; a subject can be opened into its own relations if known. */
export function treeRows(
  grouped: GroupedRelationships,
  isOpen: (path: string, kind: TreeRow['kind']) => boolean,
): TreeRow[] {
  const lines: TreeRow[] = []
  const add = (line: Omit<TreeRow, 'isOpen'>, addChildren: () => void) => {
    const isExpanded = line.size > 0 && isOpen(line.path, line.kind)
    lines.push({ ...line, isOpen: isExpanded })
    if (isExpanded) addChildren()
  }

  const addRelations = (
    relations: Map<string, ShownRelationship[]>,
    { path, level, ancestors }: { path: string; level: number; ancestors: readonly string[] },
  ) => {
    for (const [relation, stored] of relations) {
      const relationPath = `${path}#${relation}`
      add(
        {
          path: relationPath,
          parent: path,
          level,
          kind: 'relation',
          text: relation,
          size: stored.length,
          at: undefined,
        },
        () => {
          for (const row of stored) addSubject(row, { parent: relationPath, level: level + 1, ancestors })
        },
      )
    }
  }
  const addSubject = (
    { key, relationship }: ShownRelationship,
    { parent, level, ancestors }: { parent: string; level: number; ancestors: readonly string[] },
  ) => {
    const { type, id, relation } = relationship.subject
    const object = printReference({ type, id })
    const known = ancestors.includes(object) ? undefined : grouped.get(type)?.get(id)
    const children = relation === undefined ? known : pickRelation(known, relation)
    const path = `${parent}@${printReference(relationship.subject)}`
    add(
      {
        path,
        parent,
        level,
        kind: 'subject',
        text: printReference(relationship.subject),
        size: children?.size ?? 0,
        at: key,
      },
      () => children && addRelations(children, { path, level: level + 1, ancestors: [...ancestors, object] }),
    )
  }

  for (const [type, objects] of grouped) {
    add(
      { path: type, parent: undefined, level: 1, kind: 'type', text: type, size: objects.size, at: undefined },
      () => {
        for (const [id, relations] of objects) {
          const object = printReference({ type, id })
          add(
            { path: object, parent: type, level: 2, kind: 'object', text: object, size: relations.size, at: object },
            () => addRelations(relations, { path: object, level: 3, ancestors: [object] }),
          )
        }
      },
    )
  }
  return lines
}

/** For a set, keeps only its relation. */
function pickRelation(relations: Map<string, ShownRelationship[]> | undefined, relation: string) {
  const stored = relations?.get(relation)
  return stored ? new Map([[relation, stored]]) : relations
}
