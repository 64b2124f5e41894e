import { type RefObject, useEffect, useRef } from 'react'
import { nodeHeight, nodeWidth, type Point } from '../permissions/graph-layout.ts'

/** The part of `ReactFlowInstance` that moves the drawing. */
interface ViewportControl {
  getViewport: () => View
  setViewport: (view: View) => Promise<unknown>
}

/** Matches where the inspector is a sheet over the page instead of a column beside the graph. */
const sheetQuery = '(max-width: 1023.98px)'

interface ViewportOptions {
  frame: RefObject<HTMLElement | null>
  placedObjects: readonly (Point & { id: string })[]
  /** The selected object. */
  at: string | undefined
  /** The focusable object, to be shown without a selection. */
  tabStop: string | undefined
}

/** Keeps the selected object visible when the size of the graph changes, with the zoom that the user chose, if any. */
export function useViewport({ frame, placedObjects, at, tabStop }: ViewportOptions) {
  const control = useRef<ViewportControl>(null)
  /** Whether the user has moved or zoomed the drawing. */
  const isUserMoved = useRef(false)
  const fit = useRef(() => {})
  useEffect(() => {
    fit.current = () => {
      const centre = placedObjects.find(({ id }) => id === tabStop)
      const size = measure(frame.current)
      if (!centre || !size) return
      const isSelected = tabStop === at
      const view = fitView(placedObjects, { centre, isSelected, size })
      if (!isUserMoved.current) void control.current?.setViewport(view)
      else if (isSelected && control.current) {
        const zoom = control.current.getViewport().zoom
        void control.current.setViewport(fitView(placedObjects, { centre, isSelected, size, zoom }))
      }
    }
  })

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => fit.current())
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  useEffect(() => {
    const position = placedObjects.find(({ id }) => id === at)
    const size = measure(frame.current)
    if (position && size && control.current && !isVisible(position, control.current.getViewport(), size)) fit.current()
  }, [at, placedObjects, frame])

  const isSelectionShown = placedObjects.some(({ id }) => id === at)
  useEffect(() => {
    if (isSelectionShown && matchMedia(sheetQuery).matches) frame.current?.scrollIntoView({ block: 'start' })
  }, [isSelectionShown, frame])

  return {
    onInit: (instance: ViewportControl) => {
      control.current = instance
      fit.current()
    },
    onUserMove: () => {
      isUserMoved.current = true
    },
  }
}

function measure(element: HTMLElement | null) {
  if (!element || element.clientWidth === 0) return undefined
  return { width: element.clientWidth, height: element.clientHeight }
}

/** The size of the frame, in pixels. */
export interface Size {
  width: number
  height: number
}
/** The offset of the drawing in its frame, and its scale. */
export interface View extends Point {
  zoom: number
}

/** The smallest scale with readable text: the text of 13 px then has 12. */
const minReadableZoom = 0.93
/** The smallest scale with a selected object, beside its details: neighbours matter more than text. */
const minSelectedZoom = 0.75
/** The smallest scale on a phone, whose width then has an object and its neighbours. */
const minPhoneZoom = 0.7
const maxPhoneWidth = 480
/** The scale of a drawing with few objects. */
const maxZoom = 1.25
/** The space around the drawing, in pixels. */
const margin = 20

/**
 * Returns the view of the whole drawing if its text is readable. Otherwise returns a readable view with `centre` as central
 * as the ends of the drawing allow; with a selected object, or on a phone, it fits the width down to a smaller scale. Keeps a given
 * `zoom`.
 */
export function fitView(
  positions: readonly Point[],
  { centre, isSelected, size, zoom: fixedZoom }: { centre: Point; isSelected: boolean; size: Size; zoom?: number },
): View {
  const horizontal = measureExtent(
    positions.map(({ x }) => x),
    nodeWidth,
  )
  const vertical = measureExtent(
    positions.map(({ y }) => y),
    nodeHeight,
  )
  const [zoomX, zoomY] = [findZoom(horizontal, size.width), findZoom(vertical, size.height)]
  const zoomAll = Math.min(zoomX, zoomY)
  const minZoom = isSelected ? minSelectedZoom : size.width < maxPhoneWidth ? minPhoneZoom : minReadableZoom
  const fittedZoom = zoomAll >= minReadableZoom ? zoomAll : Math.max(Math.min(zoomX, minReadableZoom), minZoom)
  const zoom = fixedZoom ?? fittedZoom
  return {
    zoom,
    x: findOffset(centre.x + nodeWidth / 2, { ...horizontal, size: size.width, zoom }),
    y: findOffset(centre.y + nodeHeight / 2, { ...vertical, size: size.height, zoom }),
  }
}

/** Reports whether an object is entirely visible. */
export function isVisible(position: Point, { x, y, zoom }: View, size: Size): boolean {
  const isWithin = (from: number, length: number, all: number) => from >= 0 && from + length <= all
  return (
    isWithin(position.x * zoom + x, nodeWidth * zoom, size.width) &&
    isWithin(position.y * zoom + y, nodeHeight * zoom, size.height)
  )
}

interface Extent {
  from: number
  to: number
}
const measureExtent = (all: number[], length: number): Extent => ({
  from: Math.min(...all),
  to: Math.max(...all) + length,
})
const findZoom = ({ from, to }: Extent, size: number) => Math.min(maxZoom, Math.max(0, size - 2 * margin) / (to - from))

/** Returns the offset of the drawing along one axis that centres a coordinate, as far as the ends allow. */
function findOffset(centre: number, { from, to, size, zoom }: Extent & { size: number; zoom: number }): number {
  const [first, last] = [from * zoom, to * zoom]
  if (last - first + 2 * margin <= size + 1) return (size - last - first) / 2
  return Math.max(size - margin - last, Math.min(margin - first, size / 2 - centre * zoom))
}
