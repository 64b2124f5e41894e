import { ChevronDown, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { NamedReference } from '../permissions/ObjectName.tsx'
import { parseReference, printReference } from '../permissions/reference.ts'
import type { Relations, ShownRelationship } from './use-relations.ts'
import { VirtualRows } from './VirtualRows.tsx'

interface RelationTreeProps {
  relations: Relations
  at: string | undefined
  onOpen: (at: string) => void
}

/** Up to this number of relationships everything is initially expanded. */
const expandAllLimit = 200
const noun: Record<TreeRow['kind'], [one: string, many: string]> = {
  type: ['object', 'objects'],
  object: ['relation', 'relations'],
  relation: ['subject', 'subjects'],
  subject: ['relation', 'relations'],
}

/** The relationships as a tree: type, object, relation, subject, continued if a subject has relations itself. */
export function RelationTree({ relations: { rows, loadMore, isLoadingMore }, at, onOpen }: RelationTreeProps) {
  const [toggledPaths, setToggledPaths] = useState<ReadonlySet<string>>(new Set())
  const grouped = useMemo(() => groupRelationships(rows), [rows])
  const isShort = rows.length <= expandAllLimit
  const lines = useMemo(
    () =>
      treeRows(grouped, (path, kind) => {
        const isOpenByDefault = kind === 'type' || (isShort && kind !== 'subject')
        return toggledPaths.has(path) !== isOpenByDefault
      }),
    [grouped, toggledPaths, isShort],
  )
  const toggle = ({ path }: TreeRow) =>
    setToggledPaths((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })

  function handleKey(key: string, index: number): number | undefined {
    const line = lines[index]
    if (!line || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return undefined
    const isRight = key === 'ArrowRight'
    if (line.size > 0 && line.isOpen !== isRight) {
      toggle(line)
      return index
    }
    if (isRight) return line.size > 0 ? index + 1 : index
    const parent = lines.findIndex(({ path }) => path === line.parent)
    return parent === -1 ? index : parent
  }

  return (
    <VirtualRows
      role="tree"
      label="Relationships"
      count={lines.length}
      rowHeight={36}
      isBusy={isLoadingMore}
      onNearEnd={isLoadingMore ? undefined : loadMore}
      onKey={handleKey}
      onOpen={(index) => {
        const line = lines[index]
        if (line?.at) onOpen(line.at)
        else if (line) toggle(line)
      }}
      row={(index) => {
        const line = lines[index] as TreeRow
        return {
          key: line.path,
          props: {
            'aria-level': line.level,
            'aria-selected': line.at !== undefined && line.at === at,
            ...(line.size > 0 && { 'aria-expanded': line.isOpen }),
            className: 'flex items-center gap-1.5 pr-4',
          },
          content: <Line line={line} onToggle={() => toggle(line)} />,
        }
      }}
    />
  )
}

function Line({ line: { level, kind, text, size, isOpen }, onToggle }: { line: TreeRow; onToggle: () => void }) {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const [singular, plural] = noun[kind]
  const reference = parseReference(text)
  return (
    <>
      <span aria-hidden="true" className="shrink-0" style={{ width: `${Math.min(level, 12) * 18 - 8}px` }} />
      {size > 0 ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: only for the pointer; the arrow keys do the same
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <span
          className="grid size-7 shrink-0 place-items-center rounded-ctl text-ink3 hover:bg-card"
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
          }}
        >
          <Chevron size={15} aria-hidden="true" />
        </span>
      ) : (
        <span className="w-7 shrink-0" />
      )}
      <span className={`truncate font-mono text-[12.5px] ${kind === 'relation' ? 'font-[650]' : ''}`} title={text}>
        {reference ? <NamedReference reference={reference} /> : text}
      </span>
      {size > 0 && kind !== 'subject' && (
        <span className="shrink-0 text-[12px] text-ink3">
          {size.toLocaleString('en')} {size === 1 ? singular : plural}
        </span>
      )}
    </>
  )
}

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
