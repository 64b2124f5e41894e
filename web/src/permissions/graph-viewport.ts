import { type RefObject, useEffect, useRef } from 'react'
import type { Point } from './graph-layout.ts'
import { fitView, isVisible, type View } from './graph-view.ts'

/** The part of React Flow that moves the drawing. */
interface ViewportControl {
  getViewport: () => View
  setViewport: (view: View) => Promise<unknown>
}

/** Matches when an object's details cover the page instead of standing beside the graph. */
const sheetQuery = '(max-width: 1023.98px)'

interface ViewportOptions {
  frame: RefObject<HTMLElement | null>
  placedObjects: readonly (Point & { id: string })[]
  /** The selected object, and the initial one without a selection. */
  at: string | undefined
  tabStop: string | undefined
}

/** Keeps the selected object visible when the window or the panels beside the graph change. */
export function useViewport({ frame, placedObjects, at, tabStop }: ViewportOptions) {
  const control = useRef<ViewportControl>(null)
  /** Whether the user chose the viewport. */
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
