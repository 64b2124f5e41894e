import { Maximize2, Minimize2, Rotate3d, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { maxZoom } from './frame-model.ts'
import { usePointers, useWheel } from './gestures.ts'
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
/** A drag over the whole width. */
const degreesPerWidth = 200
const zoomStep = 1.25

/**
 * A model that is turned by dragging it or by a slider, and zoomed by two fingers or by buttons, also in full screen. It
 * turns once when it appears, unless the user prefers less motion.
 */
export function TurntableView({ url, label }: TurntableViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const turntable = useRef<Turntable>(undefined)
  const slider = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<'loading' | 'ready' | 'no WebGL' | 'failed'>('loading')
  const [angle, setAngle] = useState(0)
  const [zoom, setZoom] = useState(1)
  // Several events can arrive before the next render: each continues from the last view.
  const latest = useRef({ angle, zoom })
  latest.current = { angle, zoom }
  const { frame, isFull, toggle } = useFullScreen()

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
    if (state === 'ready') turntable.current?.draw(angle, zoom)
  }, [state, angle, zoom])
  useEffect(() => {
    const resized = new ResizeObserver(() => turntable.current?.draw(latest.current.angle, latest.current.zoom))
    resized.observe(canvas.current as HTMLCanvasElement)
    return () => resized.disconnect()
  }, [])

  // The button that opened the view is gone: its focus moves to the slider.
  useEffect(() => slider.current?.focus({ preventScroll: true }), [])

  const stopTurn = useFirstTurn(state === 'ready', setAngle)
  const turnTo = (degrees: number) => {
    stopTurn()
    latest.current.angle = normaliseAngle(degrees)
    setAngle(latest.current.angle)
  }
  const zoomBy = (factor: number) => {
    latest.current.zoom = Math.min(Math.max(latest.current.zoom * factor, 1), maxZoom)
    setZoom(latest.current.zoom)
  }
  const pointers = usePointers({
    move: (right) => right !== 0 && turnTo(latest.current.angle + right * degreesPerWidth),
    zoomBy,
  })
  useWheel(canvas, zoomBy, !isFull)
  const side = nameSide(angle)
  return (
    <div ref={frame} className={`grid gap-3 ${isFull ? 'grid-rows-[minmax(0,1fr)_auto] bg-paper p-3' : ''}`}>
      <Stage isBusy={state === 'loading'} isFull={isFull}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${label}, ${side.toLowerCase()}`}
          hidden={state === 'no WebGL' || state === 'failed'}
          className={`absolute inset-0 size-full cursor-grab active:cursor-grabbing ${isFull ? 'touch-none' : 'touch-pan-y'}`}
          {...pointers}
        />
        {state === 'no WebGL' && <StageText>This browser has no WebGL, so it cannot show the 3D avatar.</StageText>}
        {state === 'failed' && <StageText>The 3D avatar could not be loaded.</StageText>}
      </Stage>
      <div className="flex h-9 items-center">
        <label className="flex min-w-0 flex-1 items-center gap-3 pr-1 text-ink3">
          <span className="sr-only">Turn</span>
          <Rotate3d size={17} aria-hidden="true" className="shrink-0" />
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
        <IconButton label="Zoom out" isDisabled={zoom === 1} onClick={() => zoomBy(1 / zoomStep)}>
          <ZoomOut size={17} />
        </IconButton>
        <IconButton label="Zoom in" isDisabled={zoom === maxZoom} onClick={() => zoomBy(zoomStep)}>
          <ZoomIn size={17} />
        </IconButton>
        {document.fullscreenEnabled && (
          <IconButton label={isFull ? 'Leave full screen' : 'Full screen'} onClick={toggle}>
            {isFull ? <Minimize2 size={17} /> : <Maximize2 size={17} />}
          </IconButton>
        )}
      </div>
    </div>
  )
}

interface IconButtonProps {
  label: string
  isDisabled?: boolean
  onClick: () => void
  children: ReactNode
}

/** Keeps its focus while it is disabled, so that the next key is not lost. */
const IconButton = ({ label, isDisabled = false, onClick, children }: IconButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    aria-disabled={isDisabled}
    className="btn btn-ghost size-9 shrink-0 p-0 text-ink2 aria-disabled:opacity-40 pointer-coarse:size-11"
    onClick={isDisabled ? undefined : onClick}
  >
    {children}
  </button>
)

/** Shows the element of `frame` in full screen. Safari on iPhones cannot. */
function useFullScreen(): { frame: RefObject<HTMLDivElement | null>; isFull: boolean; toggle: () => void } {
  const frame = useRef<HTMLDivElement>(null)
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const update = () => setFull(document.fullscreenElement !== null && document.fullscreenElement === frame.current)
    document.addEventListener('fullscreenchange', update)
    return () => document.removeEventListener('fullscreenchange', update)
  }, [])
  // Rejected if the user or the browser does not allow it: nothing changes.
  const toggle = () => void (isFull ? document.exitFullscreen() : frame.current?.requestFullscreen())?.catch(() => {})
  return { frame, isFull, toggle }
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
