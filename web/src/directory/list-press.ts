import { type PointerEvent, useEffect, useRef } from 'react'

/** The duration of a long press, and the maximum movement during it. */
const pressMs = 500
const moveTolerancePx = 10

/** Returns the props of a row that select it on a long press and suppress the following click. */
export function useLongPress(onPress: ((id: string) => void) | undefined) {
  const activePress = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const wasPressed = useRef(false)
  const stop = () => clearTimeout(activePress.current?.timer)
  useEffect(() => () => clearTimeout(activePress.current?.timer), [])
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
      activePress.current = { timer, x, y }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { x, y } = activePress.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > moveTolerancePx) stop()
    },
    onPointerUp: stop,
    // The browser takes over the touch for scrolling.
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
