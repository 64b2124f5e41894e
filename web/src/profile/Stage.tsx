import { Rotate3d } from 'lucide-react'
import type { ReactNode } from 'react'

interface StageProps {
  isBusy?: boolean
  /** Whether it fills its container instead of having a shape of its own. */
  isFull?: boolean
  /** Whether it is the place of a file to upload. */
  isLow?: boolean
  children?: ReactNode
}

/** The place of a 3D avatar: a lit ground with the engraved ring of a turntable. */
export function Stage({ isBusy = false, isFull = false, isLow = false, children }: StageProps) {
  return (
    <div
      aria-busy={isBusy}
      className={`relative grid w-full place-items-center overflow-hidden rounded-pop ${isFull ? 'h-full max-h-[125vw] self-center' : isLow ? 'h-48' : 'aspect-[4/5]'}`}
      style={{
        background:
          'radial-gradient(80% 60% at 50% 36%, color-mix(in oklab, var(--foil) 24%, var(--well)), var(--well))',
      }}
    >
      <svg viewBox="0 0 200 250" aria-hidden="true" className="absolute inset-0 size-full text-foil" fill="none">
        <ellipse cx="100" cy="220" rx="78" ry="15" stroke="currentColor" />
        <ellipse cx="100" cy="220" rx="65" ry="11" stroke="currentColor" strokeDasharray="2 5" />
      </svg>
      {children}
    </div>
  )
}

/** Stands for a model without a picture. */
export const ModelIcon = () => (
  <Rotate3d size={40} strokeWidth={1.5} aria-hidden="true" className="relative text-foil-text" />
)
