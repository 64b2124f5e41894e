import type { PermissionSchema } from '@passport/contract/permission-schema'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { toFailure } from '../app/api.ts'
import { layOut, measureLabel, nodeHeight, nodeWidth } from '../permissions/graph-layout.ts'
import { objectKindOf } from '../permissions/object-kind.ts'
import { isDirectoryType } from '../permissions/reference.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'

/**
 * The types of a schema as a diagram: arrows lead from a type to the types of subjects that its relations allow. On a
 * phone, where it would not be readable, each type has its arrows below it.
 */
export function SchemaDiagram({ schema }: { schema: PermissionSchema }) {
  const { types, edges } = useMemo(() => toDiagram(schema), [schema])
  if (types.length === 0) return <p className="text-ink2">No types yet</p>
  return (
    <>
      <Drawing {...{ types, edges }} />
      <ul className="grid content-start gap-5 sm:hidden">
        {types
          .filter(({ name }) => edges.some(({ source }) => source === name))
          .map((type) => (
            <li key={type.name}>
              <TypeLink type={type} className="h-11" />
              <ul className="ml-4 border-l border-edge">
                {edges
                  .filter(({ source }) => source === type.name)
                  .map(({ target, labels }) => (
                    <li key={target} className="relative flex items-start gap-2.5 pt-3 pl-4">
                      <span aria-hidden="true" className="absolute top-6 left-0 w-2 border-t border-edge" />
                      <ObjectIcon kind={objectKindOf(target)} size={22} />
                      <div className="min-w-0">
                        <p className="font-[560]">{target}</p>
                        <p className="font-mono text-[12.5px] text-ink2">{labels.join(', ')}</p>
                      </div>
                    </li>
                  ))}
              </ul>
            </li>
          ))}
      </ul>
    </>
  )
}

function Drawing({ types, edges }: ReturnType<typeof toDiagram>) {
  const request = {
    ids: types.map(({ name }) => name),
    edges: edges.map(({ source, target, labels }) => ({ source, target, ...measureLabel(labels) })),
  }
  const layout = useQuery({
    queryKey: ['layout of schema', request],
    queryFn: ({ signal }) => layOut(request, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (layout.error) return <ErrorCard failure={toFailure(layout.error)} onRetry={() => void layout.refetch()} />
  if (!layout.data) return <p className="text-ink3 max-sm:hidden">Arranging {types.length} types…</p>
  const { positions, edges: placedEdges } = layout.data
  const xs = [...positions.map(({ x }) => x), ...placedEdges.map(({ label }) => label.x)]
  const ys = [...positions.map(({ y }) => y), ...placedEdges.map(({ label }) => label.y)]
  const [left, top] = [Math.min(...xs) - 8, Math.min(...ys) - 24]
  const [width, height] = [Math.max(...xs) + nodeWidth + 8 - left, Math.max(...ys) + nodeHeight + 24 - top]
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is not a set of form controls
    <svg
      role="group"
      aria-label={`Diagram of ${types.length} types. The text has the same content.`}
      viewBox={`${left} ${top} ${width} ${height}`}
      className="m-auto block size-full max-sm:hidden"
      style={{ minWidth: width * 0.7, maxWidth: width * 1.15, maxHeight: height * 1.15 }}
    >
      <defs>
        <marker id="schema-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0.5 L7 4 L0 7.5 Z" className="fill-edge" />
        </marker>
      </defs>
      {placedEdges.map(({ path }, index) => (
        <path key={index} d={path} className="fill-none stroke-edge" markerEnd="url(#schema-arrow)" />
      ))}
      {placedEdges.map(({ label }, index) => (
        <EdgeLabel key={index} {...label} lines={edges[index]?.labels ?? []} />
      ))}
      {types.map((type, index) => (
        <TypeBox key={type.name} type={type} {...(positions[index] ?? { x: 0, y: 0 })} />
      ))}
    </svg>
  )
}

type Definition = PermissionSchema['definitions'][number]

/** Returns the types of applications, and those of the directory that they refer to. Without any, returns all types. */
export function toDiagram({ definitions }: PermissionSchema) {
  const isOwn = ({ name }: Definition) => !isDirectoryType(name)
  const own = definitions.some(isOwn) ? definitions.filter(isOwn) : definitions
  const edges = new Map<string, { source: string; target: string; labels: string[] }>()
  for (const { name: source, relations } of own)
    for (const { name, allowed } of relations)
      for (const { type: target, relation, isWildcard } of allowed) {
        const label = `${name}${relation ? ` #${relation}` : ''}${isWildcard ? ' *' : ''}`
        const edge = edges.get(`${source} ${target}`) ?? { source, target, labels: [] }
        if (!edge.labels.includes(label)) edge.labels.push(label)
        edges.set(`${source} ${target}`, edge)
      }
  const names = new Set([...own.map(({ name }) => name), ...[...edges.values()].map(({ target }) => target)])
  return { types: definitions.filter(({ name }) => names.has(name)), edges: [...edges.values()] }
}

/** A type with its permissions, which links to its relationships. */
const TypeBox = ({ type, x, y }: { type: Definition; x: number; y: number }) => (
  <foreignObject {...{ x, y }} width={nodeWidth} height={nodeHeight}>
    <TypeLink type={type} className="size-full" />
  </foreignObject>
)

function TypeLink({ type: { name, permissions, relations }, className }: { type: Definition; className: string }) {
  const list = permissions.map((permission) => permission.name).join(', ')
  const search = relations.length > 0 ? { resourceType: name } : { subjectType: name }
  return (
    <Link
      to="/admin/tools/relations"
      search={search as never}
      title={list ? `${name}: ${list}` : name}
      className={`flex items-center gap-2 rounded-ctl border border-edge bg-card px-2 leading-tight -outline-offset-2 hover:border-stamp ${className}`}
    >
      <ObjectIcon kind={objectKindOf(name)} size={28} />
      <span className="min-w-0">
        <span className="block truncate text-[14px] font-[600] text-ink">{name}</span>
        <span className="block truncate text-[12px] text-ink2">{list}</span>
      </span>
    </Link>
  )
}

function EdgeLabel({ x, y, lines }: { x: number; y: number; lines: readonly string[] }) {
  const { width, height } = measureLabel(lines)
  return (
    <>
      <rect
        x={x - width / 2}
        y={y - height / 2}
        width={width}
        height={height}
        rx="6"
        className="fill-card stroke-line"
      />
      {lines.map((line, index) => (
        <text
          key={line}
          x={x}
          y={y - height / 2 + 13 + index * 15}
          textAnchor="middle"
          className="fill-ink2 font-mono text-[12px]"
        >
          {line}
        </text>
      ))}
    </>
  )
}
