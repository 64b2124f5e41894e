import { type PointerEvent, useEffect, useRef } from 'react'

/** For so long a finger rests on a row that is meant to be chosen, and moves no further than this. */
const pressMs = 500
const slackPx = 10

/** What a row is given so that a finger that rests on it chooses it; the click that would follow leads nowhere. */
export function useLongPress(onPress: ((id: string) => void) | undefined) {
  const pressing = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const wasPressed = useRef(false)
  const stop = () => clearTimeout(pressing.current?.timer)
  useEffect(() => () => clearTimeout(pressing.current?.timer), [])
  if (!onPress) return undefined

  return (id: string) => ({
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      stop()
      wasPressed.current = false
      if (pointerType !== 'touch') return
      const timer = setTimeout(() => {
        wasPressed.current = true
        onPress(id)
      }, pressMs)
      pressing.current = { timer, x, y }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { x, y } = pressing.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > slackPx) stop()
    },
    onPointerUp: stop,
    // The browser takes the finger to scroll.
    onPointerCancel: stop,
    onClickCapture: (event: { preventDefault: () => void; stopPropagation: () => void }) => {
      if (!wasPressed.current) return
      wasPressed.current = false
      event.preventDefault()
      event.stopPropagation()
    },
    onContextMenu: (event: { preventDefault: () => void }) => {
      if (wasPressed.current) event.preventDefault()
    },
  })
}
