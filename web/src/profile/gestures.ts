import { type PointerEvent, useEffect, useRef } from 'react'

interface Point {
  x: number
  y: number
}

export interface Gestures {
  /** Moves by fractions of the element's width and height. */
  move: (right: number, down: number) => void
  /** Zooms around a point in fractions from the centre. */
  zoomBy: (factor: number, point?: Point) => void
}

/** Returns handlers for one pointer, which moves, and for two, which also zoom. */
export function usePointers({ move, zoomBy }: Gestures) {
  const pointers = useRef(new Map<number, Point>())
  const spreadOf = (points: Point[]) => {
    const [a, b] = points
    if (!a) return { x: 0, y: 0, distance: 0 }
    if (!b) return { ...a, distance: 0 }
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) }
  }
  const release = (event: PointerEvent) => void pointers.current.delete(event.pointerId)
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, toFraction(event, event.currentTarget))
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!pointers.current.has(event.pointerId)) return
      const before = spreadOf([...pointers.current.values()])
      pointers.current.set(event.pointerId, toFraction(event, event.currentTarget))
      const after = spreadOf([...pointers.current.values()])
      move(after.x - before.x, after.y - before.y)
      if (before.distance > 0 && after.distance > 0) zoomBy(after.distance / before.distance, after)
    },
    onPointerUp: release,
    onPointerCancel: release,
  }
}

/**
 * Zooms with the wheel, and with two fingers on a trackpad. React's own handler is passive, so the page would scroll too.
 * With `isPinchOnly`, the wheel scrolls the page.
 */
export function useWheel(target: { current: HTMLElement | null }, zoomBy: Gestures['zoomBy'], isPinchOnly = false) {
  const latest = useRef(zoomBy)
  latest.current = zoomBy
  useEffect(() => {
    const element = target.current
    function handleWheel(event: WheelEvent) {
      // Browsers report a pinch on a trackpad as a wheel with Ctrl.
      if (isPinchOnly && !event.ctrlKey) return
      event.preventDefault()
      latest.current(
        Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 400)),
        toFraction(event, event.currentTarget as HTMLElement),
      )
    }
    element?.addEventListener('wheel', handleWheel, { passive: false })
    return () => element?.removeEventListener('wheel', handleWheel)
  }, [target, isPinchOnly])
}

/** Returns the place of an event in fractions of the element's width and height from its centre. */
function toFraction({ clientX, clientY }: { clientX: number; clientY: number }, element: HTMLElement): Point {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: (clientX - left) / width - 0.5, y: (clientY - top) / height - 0.5 }
}
