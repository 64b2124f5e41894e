import { type RefObject, useEffect, useRef } from 'react'
import type { Point } from './graph-layout.ts'
import { isInSight, type View, viewOf } from './graph-view.ts'

/** What is moved about in the frame. */
interface Stage {
  getViewport: () => View
  setViewport: (view: View) => Promise<unknown>
}

/** Where what is told of an object lies on the page rather than beside the graph. */
const sheet = '(max-width: 1023.98px)'

interface Sight {
  frame: RefObject<HTMLElement | null>
  placed: readonly (Point & { id: string })[]
  /** What is looked at, and where to begin without it. */
  at: string | undefined
  stop: string | undefined
}

/** Keeps in sight what is looked at, whatever room there is: another window, and what stands beside or below the frame. */
export function useSight({ frame, placed, at, stop }: Sight) {
  const stage = useRef<Stage>(null)
  /** Somebody chose a part of it and a size by hand. */
  const isByHand = useRef(false)
  const show = useRef(() => {})
  useEffect(() => {
    show.current = () => {
      const middle = placed.find(({ id }) => id === stop)
      const room = roomOf(frame.current)
      if (!middle || !room) return
      const isAsked = stop === at
      const view = viewOf(placed, { middle, isAsked, room })
      if (!isByHand.current) void stage.current?.setViewport(view)
      else if (isAsked && stage.current) {
        const zoom = stage.current.getViewport().zoom
        void stage.current.setViewport(viewOf(placed, { middle, isAsked, room, zoom }))
      }
    }
  })

  useEffect(() => {
    const box = frame.current
    if (!box) return
    const observer = new ResizeObserver(() => show.current())
    observer.observe(box)
    return () => observer.disconnect()
  }, [frame])
  useEffect(() => {
    const place = placed.find(({ id }) => id === at)
    const room = roomOf(frame.current)
    if (place && room && stage.current && !isInSight(place, stage.current.getViewport(), room)) show.current()
  }, [at, placed, frame])

  const isLookedAt = placed.some(({ id }) => id === at)
  useEffect(() => {
    if (isLookedAt && matchMedia(sheet).matches) frame.current?.scrollIntoView({ block: 'start' })
  }, [isLookedAt, frame])

  return {
    onInit: (instance: Stage) => {
      stage.current = instance
      show.current()
    },
    onTaken: () => {
      isByHand.current = true
    },
  }
}

function roomOf(box: HTMLElement | null) {
  if (!box || box.clientWidth === 0) return undefined
  return { width: box.clientWidth, height: box.clientHeight }
}
