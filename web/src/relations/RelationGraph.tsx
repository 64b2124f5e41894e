import { useQuery } from '@tanstack/react-query'
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
import { Maximize, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { type LayoutResult, layOut, measureLabel, nodeHeight, nodeWidth } from '../permissions/graph-layout.ts'
import { ObjectPicture, useObjectLabel } from '../permissions/ObjectName.tsx'
import { objectKindOf } from '../permissions/object-kind.ts'
import { describeType } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { useViewport } from './graph-viewport.ts'
import { type Direction, detailLimits, findNeighbour, type GraphObject, overviewLimits, toGraph } from './to-graph.ts'
import type { ShownRelationship } from './use-relations.ts'
import '@xyflow/react/dist/base.css'
import './relation-graph.css'

interface RelationGraphProps {
  rows: readonly ShownRelationship[]
  /** The selected object, as a reference. */
  at: string | undefined
  /** The object that the filter names, which the view begins with. */
  start: string | undefined
  onOpen: (reference: string) => void
  /** Loads an object's further relationships. */
  onExpand: (reference: string) => void
}

interface ObjectData extends Pick<GraphObject, 'object' | 'more'> {
  isStart: boolean
  isSelected: boolean
  isTabStop: boolean
}
type ObjectNode = Node<ObjectData & Record<string, unknown>, 'object'>
type RelationEdge = Edge<{ path: string }, 'relation'>

/** The relationships as a graph: resources on the left, their subjects to the right. */
export function RelationGraph({ rows, at, start, onOpen, onExpand }: RelationGraphProps) {
  const [limits, setLimits] = useState(overviewLimits)
  const graph = useMemo(() => toGraph(rows, limits), [rows, limits])
  const layoutInput = useMemo(
    () => ({
      ids: graph.objects.map(({ id }) => id),
      edges: graph.edges.map(({ source, target, labels }) => ({ source, target, ...measureLabel(labels) })),
    }),
    [graph],
  )
  const layout = useQuery({
    queryKey: ['layout of relationships', layoutInput],
    queryFn: ({ signal }) => layOut(layoutInput, signal),
    enabled: layoutInput.ids.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })
  if (layout.error) return <ErrorCard failure={toFailure(layout.error)} onRetry={() => void layout.refetch()} />
  const isReady = layout.data?.positions.length === layoutInput.ids.length
  return (
    <>
      {graph.omittedCount > 0 && (
        <p className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line px-4 py-1 text-[13px] text-ink2">
          {graph.omittedCount.toLocaleString('en')} more objects are not shown. Narrow the filter or use the table.
          {limits === overviewLimits && (
            <Button isSmall onClick={() => setLimits(detailLimits)}>
              Show more
            </Button>
          )}
        </p>
      )}
      {isReady && layout.data ? (
        <GraphCanvas
          {...{ graph, at, start, onOpen, onExpand }}
          layout={layout.data}
          onShowMore={() => setLimits(detailLimits)}
        />
      ) : (
        <p className={`grid place-items-center text-ink3 ${height}`} aria-busy="true">
          Arranging {layoutInput.ids.length.toLocaleString('en')} objects…
        </p>
      )}
    </>
  )
}

const height = 'h-[max(22rem,calc(100dvh-20rem))]'
/** In a small window, the inspector covers the lower part of the page, and the top bar some of the upper part. */
const heightBesideSheet = 'h-[max(22rem,calc(100dvh-20rem))] max-lg:h-[calc(55dvh-3.5rem)]'

/** Returns the height in pixels that the drawing can fill at its largest scale, with a margin. */
function findMaxHeight(placedObjects: readonly { y: number }[]): number {
  const ys = placedObjects.map(({ y }) => y)
  return Math.max(300, 1.25 * (Math.max(...ys) - Math.min(...ys) + nodeHeight) + 160)
}

interface GraphCanvasProps extends Omit<RelationGraphProps, 'rows'> {
  graph: ReturnType<typeof toGraph>
  layout: LayoutResult
  /** Shows all subjects of each object. */
  onShowMore: () => void
}

function GraphCanvas(props: GraphCanvasProps) {
  const { graph, at, start, onOpen, onExpand, onShowMore } = props
  const { positions, edges: edgePaths } = props.layout
  const flow = useRef<ReactFlowInstance<ObjectNode, RelationEdge>>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [focusedId, setFocusedId] = useState<string>()
  const placedObjects = useMemo(
    () => graph.objects.map(({ id }, index) => ({ id, ...(positions[index] ?? { x: 0, y: 0 }) })),
    [graph, positions],
  )
  const findPlaced = (id: string | undefined) => placedObjects.find((placedObject) => placedObject.id === id)
  const tabStop = [focusedId, at, start, placedObjects[0]?.id].find(findPlaced)
  const nodes = useMemo(
    () =>
      graph.objects.map(
        ({ id, object, more }, index): ObjectNode => ({
          id,
          type: 'object',
          position: positions[index] ?? { x: 0, y: 0 },
          width: nodeWidth,
          height: nodeHeight,
          data: {
            object,
            ...(more && { more }),
            isStart: id === start,
            isSelected: id === at,
            isTabStop: id === tabStop,
          },
        }),
      ),
    [graph, positions, at, start, tabStop],
  )
  const edges = useMemo(
    () =>
      graph.edges.map(({ id, source, target }, index): RelationEdge => {
        const isNear = source === at || target === at
        return {
          id,
          source,
          target,
          type: 'relation',
          data: { path: edgePaths[index]?.path ?? '' },
          className: isNear ? 'is-near' : '',
          zIndex: isNear ? 1 : 0,
          markerEnd: { type: MarkerType.ArrowClosed, color: isNear ? 'var(--stamp)' : 'var(--edge)' },
        }
      }),
    [graph, edgePaths, at],
  )
  const viewport = useViewport({ frame, placedObjects, at, tabStop })

  useEffect(() => {
    if (focusedId === undefined) return
    const target = placedObjects.find(({ id }) => id === focusedId)
    if (target)
      void flow.current?.setCenter(target.x + nodeWidth / 2, target.y + nodeHeight / 2, {
        zoom: flow.current.getZoom(),
      })
    frame.current
      ?.querySelector<HTMLElement>(`[data-object="${CSS.escape(focusedId)}"]`)
      ?.focus({ preventScroll: true })
  }, [focusedId, placedObjects])

  function handleKeyDown(event: KeyboardEvent) {
    const from = placedObjects.find(({ id }) => id === tabStop)
    if (event.altKey || event.ctrlKey || event.metaKey || !from) return
    if (event.key === '+') {
      event.preventDefault()
      expand(from.id)
    }
    if (!event.key.startsWith('Arrow')) return
    event.preventDefault()
    const to = findNeighbour(from, event.key as Direction, placedObjects, graph.edges)
    if (to !== undefined) setFocusedId(to)
  }
  function zoom(change: (flow: ReactFlowInstance<ObjectNode, RelationEdge>) => Promise<boolean>) {
    viewport.onUserMove()
    if (flow.current) void change(flow.current)
  }
  const isMore = (id: string) => graph.objects.some((object) => object.id === id && object.more)
  const expand = (id: string) => (isMore(id) ? onShowMore() : onExpand(id))
  const open = (id: string) => {
    setFocusedId(undefined)
    if (isMore(id)) onShowMore()
    else onOpen(id)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: it is not a set of form controls
    <div
      ref={frame}
      role="group"
      aria-label={`Graph of ${graph.objects.length} objects. Arrow keys follow edges, Enter shows details, plus expands. The table has the same content.`}
      className={`relation-graph relative scroll-mt-14 ${at === undefined ? height : heightBesideSheet}`}
      style={at === undefined ? { maxHeight: findMaxHeight(placedObjects) } : undefined}
      onKeyDown={handleKeyDown}
    >
      <ReactFlow<ObjectNode, RelationEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(instance) => {
          flow.current = instance
          viewport.onInit(instance)
        }}
        onMoveStart={(event) => event && viewport.onUserMove()}
        onNodeClick={(_, { id }) => open(id)}
        onNodeDoubleClick={(_, { id }) => expand(id)}
        minZoom={0.1}
        maxZoom={2}
        zoomOnDoubleClick={false}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        // React Flow is under the MIT licence, which allows it.
        proOptions={{ hideAttribution: true }}
        role="presentation"
      >
        <Labels graph={graph} edgePaths={edgePaths} at={at} />
      </ReactFlow>
      <div className="absolute right-3 bottom-3 z-10 grid gap-1.5 max-sm:top-3 max-sm:bottom-auto max-sm:grid-flow-col">
        <Button isSmall className="px-2" aria-label="Zoom in" onClick={() => zoom((flow) => flow.zoomIn())}>
          <Plus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Zoom out" onClick={() => zoom((flow) => flow.zoomOut())}>
          <Minus size={15} />
        </Button>
        <Button isSmall className="px-2" aria-label="Fit to view" onClick={() => zoom((flow) => flow.fitView())}>
          <Maximize size={15} />
        </Button>
      </div>
    </div>
  )
}

interface LabelsProps extends Pick<GraphCanvasProps, 'graph' | 'at'> {
  edgePaths: LayoutResult['edges']
}

const ObjectBox = memo(function ObjectBox({
  id,
  data: { object, more, isStart, isSelected, isTabStop },
}: NodeProps<ObjectNode>) {
  const label = useObjectLabel(object)
  if (more)
    return (
      <>
        <Handle type="target" position={Position.Left} isConnectable={false} />
        <button
          type="button"
          data-object={id}
          tabIndex={isTabStop ? 0 : -1}
          className="nopan flex size-full items-center gap-2 rounded-ctl border border-dashed border-edge bg-well px-2 text-left leading-tight hover:border-stamp"
        >
          <ObjectIcon kind={objectKindOf(object.type)} size={28} />
          <span className="min-w-0">
            <span className="block truncate text-[13px] font-[620]">+{more.count.toLocaleString('en')} more</span>
            <span className="block truncate text-[13px] text-ink3">Show all</span>
          </span>
        </button>
      </>
    )
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        data-object={id}
        tabIndex={isTabStop ? 0 : -1}
        aria-pressed={isSelected}
        title={label === object.id ? id : `${label}, ${id}`}
        className={`nopan flex size-full items-center gap-2 rounded-ctl border bg-card px-2 text-left leading-tight ${isSelected ? 'border-stamp bg-selection' : 'border-edge'} ${isStart ? 'outline-2 outline-ink' : ''}`}
      >
        <ObjectPicture object={object} size={28} />
        <span className="min-w-0">
          {/* On a phone the drawing is smaller, and the picture says the type. */}
          <span className="block truncate text-[13px] font-[560] max-sm:text-[18px]">{label}</span>
          <span className="block truncate text-[13px] text-ink3 max-sm:hidden">
            {describeType({ type: object.type })}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  )
})

const RelationLine = memo(function RelationLine({ id, data, markerEnd }: EdgeProps<RelationEdge>) {
  return <BaseEdge id={id} path={data?.path ?? ''} {...(markerEnd !== undefined && { markerEnd })} />
})

/** The labels of the edges, above all edges. */
const Labels = memo(function Labels({ graph, edgePaths, at }: LabelsProps) {
  return (
    <ViewportPortal>
      <div className="relation-labels">
        {graph.edges.map(({ id, source, target, labels }, index) => {
          const { x, y } = edgePaths[index]?.label ?? { x: 0, y: 0 }
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
