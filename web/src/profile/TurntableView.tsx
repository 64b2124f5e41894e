import { Rotate3d } from 'lucide-react'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { Stage } from './Stage.tsx'
import { nameSide, normaliseAngle } from './turntable-angle.ts'
import { NoWebGl, openTurntable, type Turntable } from './turntable-scene.ts'

interface TurntableViewProps {
  /** The URL of the GLB file. */
  url: string
  /** What the model is, such as “3D avatar of Ada”. */
  label: string
}

/** The duration of the first turn. Motion of at most 5 s needs no pause button (WCAG 2.2, 2.2.2). */
const firstTurnMs = 4000
const degreesPerPixel = 0.6

/** A model that is turned by dragging it, or by a slider. It turns once when it appears, unless the user prefers less motion. */
export function TurntableView({ url, label }: TurntableViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const turntable = useRef<Turntable>(undefined)
  const slider = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<'loading' | 'ready' | 'no WebGL' | 'failed'>('loading')
  const [angle, setAngle] = useState(0)
  const latestAngle = useRef(angle)
  latestAngle.current = angle

  useEffect(() => {
    const limit = new AbortController()
    setState('loading')
    load(url, canvas.current as HTMLCanvasElement, limit.signal).then(
      (opened) => {
        if (limit.signal.aborted) return opened.dispose()
        turntable.current = opened
        setState('ready')
      },
      (error) => limit.signal.aborted || setState(error instanceof NoWebGl ? 'no WebGL' : 'failed'),
    )
    return () => {
      limit.abort()
      turntable.current?.dispose()
      turntable.current = undefined
    }
  }, [url])

  useEffect(() => {
    if (state === 'ready') turntable.current?.draw(angle)
  }, [state, angle])
  useEffect(() => {
    const resized = new ResizeObserver(() => turntable.current?.draw(latestAngle.current))
    resized.observe(canvas.current as HTMLCanvasElement)
    return () => resized.disconnect()
  }, [])

  // The button that opened the view is gone: its focus moves to the slider.
  useEffect(() => slider.current?.focus({ preventScroll: true }), [])

  const stopTurn = useFirstTurn(state === 'ready', setAngle)
  const turnTo = (degrees: number) => {
    stopTurn()
    setAngle(normaliseAngle(degrees))
  }
  const side = nameSide(angle)
  return (
    <div className="grid gap-3">
      <Stage isBusy={state === 'loading'}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${label}, ${side.toLowerCase()}`}
          hidden={state === 'no WebGL' || state === 'failed'}
          className="absolute inset-0 size-full cursor-grab touch-pan-y active:cursor-grabbing"
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={(event: PointerEvent) => {
            if (event.buttons > 0) turnTo(latestAngle.current + event.movementX * degreesPerPixel)
          }}
        />
        {state === 'no WebGL' && <StageText>This browser has no WebGL, so it cannot show the 3D avatar.</StageText>}
        {state === 'failed' && <StageText>The 3D avatar could not be loaded.</StageText>}
      </Stage>
      <label className="flex h-9 items-center gap-3 text-ink3">
        <span className="sr-only">Turn</span>
        <Rotate3d size={17} aria-hidden="true" />
        <input
          ref={slider}
          type="range"
          className="h-9 min-w-0 flex-1 accent-[var(--stamp)]"
          min={-180}
          max={180}
          step={5}
          value={angle}
          aria-valuetext={side}
          onChange={(event) => turnTo(Number(event.target.value))}
        />
      </label>
    </div>
  )
}

const StageText = ({ children }: { children: string }) => (
  <p role="alert" className="px-6 text-center text-ink2">
    {children}
  </p>
)

async function load(url: string, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<Turntable> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`${response.status} for the model`)
  return openTurntable(canvas, await response.arrayBuffer())
}

/** Turns the model once around, and returns a function that stops it. */
function useFirstTurn(isReady: boolean, setAngle: (degrees: number) => void): () => void {
  const frame = useRef(0)
  const stop = () => cancelAnimationFrame(frame.current)
  useEffect(() => {
    if (!isReady || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const start = performance.now()
    const turn = (now: number) => {
      const done = Math.min((now - start) / firstTurnMs, 1)
      const eased = done < 0.5 ? 2 * done ** 2 : 1 - 2 * (1 - done) ** 2
      setAngle(normaliseAngle(eased * 360))
      if (done < 1) frame.current = requestAnimationFrame(turn)
    }
    frame.current = requestAnimationFrame(turn)
    return stop
  }, [isReady])
  return stop
}
