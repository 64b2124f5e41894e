import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  getBezierPath,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import './relation-graph.css'
import { useQuery } from '@tanstack/react-query'
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { layOut, nodeHeight, nodeWidth } from './graph-layout.ts'
import { type Direction, type GraphObject, graphParts, neighbour } from './graph-parts.ts'
import { useObjectName } from './ObjectName.tsx'
import type { ShownRelationship } from './use-relations.ts'

interface RelationGraphProps {
  rows: readonly ShownRelationship[]
  /** The object that is looked at, as a reference. */
  at: string | undefined
  onOpen: (reference: string) => void
  /** Asks for what else an object has. */
  onExpand: (reference: string) => void
}

type ObjectNode = Node<{ object: GraphObject['object']; isAt: boolean; isStop: boolean }, 'object'>
type RelationEdge = Edge<{ text: string }, 'relation'>

/** The relationships as a graph: resources left, who stands in their relations right of them. */
export function RelationGraph({ rows, at, onOpen, onExpand }: RelationGraphProps) {
  const parts = useMemo(() => graphParts(rows), [rows])
  const question = useMemo(
    () => ({
      ids: parts.objects.map(({ id }) => id),
      edges: parts.edges.map(({ source, target }) => ({ source, target })),
      gap: gapFor(parts.edges.map(({ labels }) => textOf(labels))),
    }),
    [parts],
  )
  const places = useQuery({
    queryKey: ['layout of relationships', question],
    queryFn: ({ signal }) => layOut(question, signal),
    enabled: question.ids.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })
  if (places.error) return <ErrorCard failure={failureOf(places.error)} onRetry={() => void places.refetch()} />
  const isReady = places.data?.length === question.ids.length
  return (
    <>
      {parts.left > 0 && (
        <p className="border-b border-line px-4 py-2 text-[13px] text-ink2">
          {parts.left.toLocaleString('en')} further objects have no room here. Narrow the filter, or use the table.
        </p>
      )}
      {isReady && places.data ? (
        <Drawing parts={parts} places={places.data} at={at} onOpen={onOpen} onExpand={onExpand} />
      ) : (
        <p className={`grid place-items-center text-ink3 ${height}`} aria-busy="true">
          Laying out {question.ids.length.toLocaleString('en')} objects …
        </p>
      )}
    </>
  )
}

const textOf = (labels: string[]) => labels.join(', ')
/** In pixels, by the letters of the longest label. */
const gapFor = (labels: string[]) => Math.min(280, 24 + 6.7 * Math.max(...labels.map(({ length }) => length), 5))

/** At which scale the text can be read. */
const smallest = 0.75

/** In pixels, around what is drawn. */
const margin = 32

/** Where a drawing begins along one side, so that what is at `at` is in the middle, or nearly where the drawing ends there. */
function offsetOf(at: number, { all, length, room }: { all: number[]; length: number; room: number }): number {
  const [from, to] = [Math.min(...all) * smallest, (Math.max(...all) + length) * smallest]
  if (to - from + 2 * margin <= room) return (room - to - from) / 2
  const centred = room / 2 - (at + length / 2) * smallest
  return Math.max(room - margin - to, Math.min(margin - from, centred))
}

const height = 'h-[max(22rem,calc(100dvh-20rem))]'

interface DrawingProps extends Omit<RelationGraphProps, 'rows'> {
  parts: ReturnType<typeof graphParts>
  places: { x: number; y: number }[]
}

function Drawing({ parts, places, at, onOpen, onExpand }: DrawingProps) {
  const flow = useRef<ReactFlowInstance<ObjectNode, RelationEdge>>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<string>()
  const placed = useMemo(
    () => parts.objects.map(({ id }, index) => ({ id, ...(places[index] ?? { x: 0, y: 0 }) })),
    [parts, places],
  )
  const isThere = (id: string | undefined) => placed.some((one) => one.id === id)
  const stop = [moved, at, placed[0]?.id].find(isThere)
  const nodes = useMemo(
    () =>
      parts.objects.map(
        ({ id, object }, index): ObjectNode => ({
          id,
          type: 'object',
          position: places[index] ?? { x: 0, y: 0 },
          width: nodeWidth,
          height: nodeHeight,
          data: { object, isAt: id === at, isStop: id === stop },
        }),
      ),
    [parts, places, at, stop],
  )
  const edges = useMemo(
    () =>
      parts.edges.map(({ id, source, target, labels }): RelationEdge => {
        const isNear = source === at || target === at
        return {
          id,
          source,
          target,
          type: 'relation',
          data: { text: textOf(labels) },
          className: isNear ? 'is-near' : '',
          zIndex: isNear ? 1 : 0,
          markerEnd: { type: MarkerType.ArrowClosed, color: isNear ? 'var(--stamp)' : 'var(--edge)' },
        }
      }),
    [parts, at],
  )

  useEffect(() => {
    if (moved === undefined) return
    const one = placed.find(({ id }) => id === moved)
    if (one)
      void flow.current?.setCenter(one.x + nodeWidth / 2, one.y + nodeHeight / 2, { zoom: flow.current.getZoom() })
    frame.current?.querySelector<HTMLElement>(`[data-object="${CSS.escape(moved)}"]`)?.focus({ preventScroll: true })
  }, [moved, placed])

  function press(event: KeyboardEvent) {
    const from = placed.find(({ id }) => id === stop)
    if (event.altKey || event.ctrlKey || event.metaKey || !from) return
    if (event.key === '+') {
      event.preventDefault()
      onExpand(from.id)
    }
    if (!event.key.startsWith('Arrow')) return
    event.preventDefault()
    const to = neighbour(from, event.key as Direction, placed, parts.edges)
    if (to !== undefined) setMoved(to)
  }
  const open = (id: string) => {
    setMoved(undefined)
    onOpen(id)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no set of form controls
    <div
      ref={frame}
      role="group"
      aria-label={`Graph of ${parts.objects.length} objects. Arrow keys follow the edges, Enter tells more, plus expands. The table has the same.`}
      className={`relation-graph relative ${height}`}
      onKeyDown={press}
    >
      <ReactFlow<ObjectNode, RelationEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(instance) => {
          flow.current = instance
          // What is too large to be read as a whole begins with what is looked at.
          const first = instance.getZoom() <= smallest ? placed.find(({ id }) => id === stop) : undefined
          const box = frame.current
          if (!first || !box) return
          const x = offsetOf(first.x, { all: placed.map(({ x }) => x), length: nodeWidth, room: box.clientWidth })
          const y = offsetOf(first.y, { all: placed.map(({ y }) => y), length: nodeHeight, room: box.clientHeight })
          void instance.setViewport({ x, y, zoom: smallest })
        }}
        onNodeClick={(_, { id }) => open(id)}
        onNodeDoubleClick={(_, { id }) => onExpand(id)}
        fitView
        fitViewOptions={{ minZoom: smallest, maxZoom: 1, padding: 0.05 }}
        minZoom={0.1}
        maxZoom={2}
        zoomOnDoubleClick={false}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        role="presentation"
      />
      <div className="absolute right-3 bottom-8 z-10 grid gap-1.5">
        <Button isSmall className="px-2" aria-label="Zoom in" onClick={() => void flow.current?.zoomIn()}>
          <Plus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Zoom out" onClick={() => void flow.current?.zoomOut()}>
          <Minus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Show all of it" onClick={() => void flow.current?.fitView()}>
          <Maximize size={15} />
        </Button>
      </div>
    </div>
  )
}

const ObjectBox = memo(function ObjectBox({ id, data: { object, isAt, isStop } }: NodeProps<ObjectNode>) {
  const name = useObjectName(object)
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        data-object={id}
        tabIndex={isStop ? 0 : -1}
        aria-pressed={isAt}
        title={name === undefined ? id : `${name}, ${id}`}
        className={`nopan block size-full rounded-ctl border bg-card px-2 text-left leading-tight ${isAt ? 'border-stamp bg-selection' : 'border-edge'}`}
      >
        <span className="block truncate text-[11px] text-ink3">{object.type}</span>
        <span className={`block truncate text-[12.5px] ${name === undefined ? 'font-mono' : 'font-[560]'}`}>
          {name ?? object.id}
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  )
})

const RelationLine = memo(function RelationLine(props: EdgeProps<RelationEdge>) {
  const [path, x, y] = getBezierPath(props)
  return (
    <>
      <BaseEdge id={props.id} path={path} {...(props.markerEnd !== undefined && { markerEnd: props.markerEnd })} />
      <text x={x} y={y}>
        {props.data?.text}
      </text>
    </>
  )
})

const nodeTypes = { object: ObjectBox }
const edgeTypes = { relation: RelationLine }
