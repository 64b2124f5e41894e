import { Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { type Crop, centreCrop, drawCrop, maxZoom, moveCrop, zoomCrop } from './crop.ts'
import { usePointers, useWheel } from './gestures.ts'

interface CropAreaProps {
  picture: ImageBitmap
  crop: Crop
  onChange: (crop: Crop) => void
}

/** The fraction of the square that an arrow key moves the picture; with Shift it is five times as far. */
const keyStep = 0.02
const zoomStep = 1.1

/**
 * A square over a picture, which is moved and zoomed by mouse, touch or keys. The circle shows what remains visible in
 * the round pictures of the console.
 */
export function CropArea({ picture, crop, onChange }: CropAreaProps) {
  const area = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const hintId = useId()
  // Several events can arrive before the next render: each continues from the last crop.
  const latest = useRef(crop)
  latest.current = crop
  const change = (next: Crop) => {
    latest.current = next
    onChange(next)
  }
  const zoomBy = (factor: number, point?: { x: number; y: number }) =>
    change(zoomCrop(picture, latest.current, latest.current.zoom * factor, point))

  useEffect(() => area.current?.focus(), [])
  useEffect(() => {
    if (canvas.current) drawCrop(canvas.current, picture, crop)
  }, [picture, crop])

  const handlers = usePointers({
    move: (right, down) => change(moveCrop(picture, latest.current, right, down)),
    zoomBy,
  })
  useWheel(canvas, zoomBy)

  function handleKeyDown(event: KeyboardEvent) {
    const step = event.shiftKey ? 5 * keyStep : keyStep
    const move = (right: number, down: number) => moveCrop(picture, crop, right * step, down * step)
    const changes: Record<string, () => Crop> = {
      ArrowLeft: () => move(-1, 0),
      ArrowRight: () => move(1, 0),
      ArrowUp: () => move(0, -1),
      ArrowDown: () => move(0, 1),
      '+': () => zoomCrop(picture, crop, crop.zoom * zoomStep),
      '-': () => zoomCrop(picture, crop, crop.zoom / zoomStep),
      Home: () => centreCrop(picture),
    }
    const next = changes[event.key]?.()
    if (!next) return
    event.preventDefault()
    change(next)
  }

  return (
    <div className="grid gap-3">
      <div
        ref={area}
        role="application"
        aria-label="Position of the picture"
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is interactive
        tabIndex={0}
        onKeyDown={handleKeyDown}
        {...handlers}
        className="relative mx-auto aspect-square w-full max-w-[360px] cursor-grab touch-none overflow-hidden rounded-pop bg-well select-none active:cursor-grabbing"
      >
        <canvas ref={canvas} width={720} height={720} className="size-full" />
        <div
          aria-hidden="true"
          className="pointer-events-none absolute inset-0 rounded-full shadow-[0_0_0_999px_rgb(12_14_30/0.5)] outline-2 -outline-offset-2 outline-[rgb(255_255_255/0.85)]"
        />
      </div>
      <label className="mx-auto flex w-full max-w-[360px] items-center gap-3 text-ink3">
        <span className="sr-only">Zoom</span>
        <Minus size={16} aria-hidden="true" />
        <input
          type="range"
          className="h-9 min-w-0 flex-1 accent-[var(--stamp)]"
          min={1}
          max={maxZoom}
          step={0.01}
          value={crop.zoom}
          aria-valuetext={`${crop.zoom.toFixed(1)} times`}
          onChange={(event) => change(zoomCrop(picture, crop, Number(event.target.value)))}
        />
        <Plus size={16} aria-hidden="true" />
      </label>
      <p id={hintId} className="text-center text-[13px] text-ink3">
        Drag to move, scroll or pinch to zoom.
        <span className="pointer-coarse:hidden"> Keys: arrows, + and –.</span>
      </p>
    </div>
  )
}
