import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  ViewportPortal,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import './relation-graph.css'
import { useQuery } from '@tanstack/react-query'
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type LayoutAnswer, labelSize, layOut, nodeHeight, nodeWidth } from './graph-layout.ts'
import { type Direction, type GraphObject, graphParts, neighbour } from './graph-parts.ts'
import { useSight } from './graph-sight.ts'
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
type RelationEdge = Edge<{ path: string }, 'relation'>

/** The relationships as a graph: resources left, who stands in their relations right of them. */
export function RelationGraph({ rows, at, onOpen, onExpand }: RelationGraphProps) {
  const parts = useMemo(() => graphParts(rows), [rows])
  const question = useMemo(
    () => ({
      ids: parts.objects.map(({ id }) => id),
      edges: parts.edges.map(({ source, target, labels }) => ({ source, target, ...labelSize(labels) })),
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
  const isReady = places.data?.places.length === question.ids.length
  return (
    <>
      {parts.left > 0 && (
        <p className="border-b border-line px-4 py-2 text-[13px] text-ink2">
          {parts.left.toLocaleString('en')} further objects have no room here. Narrow the filter, or use the table.
        </p>
      )}
      {isReady && places.data ? (
        <Drawing parts={parts} layout={places.data} at={at} onOpen={onOpen} onExpand={onExpand} />
      ) : (
        <p className={`grid place-items-center text-ink3 ${height}`} aria-busy="true">
          Laying out {question.ids.length.toLocaleString('en')} objects …
        </p>
      )}
    </>
  )
}

const height = 'h-[max(22rem,calc(100dvh-20rem))]'
/** In a small window a sheet takes the lower part, and the bar of the page some of the upper one. */
const heightBesideSheet = 'h-[max(22rem,calc(100dvh-20rem))] max-lg:h-[calc(55dvh-3.5rem)]'

interface DrawingProps extends Omit<RelationGraphProps, 'rows'> {
  parts: ReturnType<typeof graphParts>
  layout: LayoutAnswer
}

function Drawing({ parts, layout: { places, edges: ways }, at, onOpen, onExpand }: DrawingProps) {
  const flow = useRef<ReactFlowInstance<ObjectNode, RelationEdge>>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<string>()
  const placed = useMemo(
    () => parts.objects.map(({ id }, index) => ({ id, ...(places[index] ?? { x: 0, y: 0 }) })),
    [parts, places],
  )
  const placeOf = (id: string | undefined) => placed.find((one) => one.id === id)
  const stop = [moved, at, placed[0]?.id].find(placeOf)
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
      parts.edges.map(({ id, source, target }, index): RelationEdge => {
        const isNear = source === at || target === at
        return {
          id,
          source,
          target,
          type: 'relation',
          data: { path: ways[index]?.path ?? '' },
          className: isNear ? 'is-near' : '',
          zIndex: isNear ? 1 : 0,
          markerEnd: { type: MarkerType.ArrowClosed, color: isNear ? 'var(--stamp)' : 'var(--edge)' },
        }
      }),
    [parts, ways, at],
  )
  const sight = useSight({ frame, placed, at, stop })

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
  function zoom(change: (flow: ReactFlowInstance<ObjectNode, RelationEdge>) => Promise<boolean>) {
    sight.onTaken()
    if (flow.current) void change(flow.current)
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
      className={`relation-graph relative scroll-mt-14 ${at === undefined ? height : heightBesideSheet}`}
      onKeyDown={press}
    >
      <ReactFlow<ObjectNode, RelationEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(instance) => {
          flow.current = instance
          sight.onInit(instance)
        }}
        onMoveStart={(event) => event && sight.onTaken()}
        onNodeClick={(_, { id }) => open(id)}
        onNodeDoubleClick={(_, { id }) => onExpand(id)}
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
      >
        <Labels parts={parts} ways={ways} at={at} />
      </ReactFlow>
      <div className="absolute right-3 bottom-8 z-10 grid gap-1.5 max-sm:grid-flow-col">
        <Button isSmall className="px-2" aria-label="Zoom in" onClick={() => zoom((flow) => flow.zoomIn())}>
          <Plus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Zoom out" onClick={() => zoom((flow) => flow.zoomOut())}>
          <Minus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Show all of it" onClick={() => zoom((flow) => flow.fitView())}>
          <Maximize size={15} />
        </Button>
      </div>
    </div>
  )
}

interface LabelsProps extends Pick<DrawingProps, 'parts' | 'at'> {
  ways: LayoutAnswer['edges']
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

const RelationLine = memo(function RelationLine({ id, data, markerEnd }: EdgeProps<RelationEdge>) {
  return <BaseEdge id={id} path={data?.path ?? ''} {...(markerEnd !== undefined && { markerEnd })} />
})

/** What the edges say, on top of all edges, each where nothing else lies. */
const Labels = memo(function Labels({ parts, ways, at }: LabelsProps) {
  return (
    <ViewportPortal>
      <div className="relation-labels">
        {parts.edges.map(({ id, source, target, labels }, index) => {
          const { x, y } = ways[index]?.label ?? { x: 0, y: 0 }
          return (
            <span key={id} className={source === at || target === at ? 'is-near' : ''} style={{ left: x, top: y }}>
              {labels.join('\n')}
            </span>
          )
        })}
      </div>
    </ViewportPortal>
  )
})

const nodeTypes = { object: ObjectBox }
const edgeTypes = { relation: RelationLine }
