import { drawSeal } from './seal-path.ts'

interface SealProps {
  /** The id of whoever or whatever it stands for. */
  seed: string
  /** In pixels; below 40 it is drawn with fewer, bolder lines. */
  size?: number
  /** Gold: for the brand, and where there is nothing. */
  isFoil?: boolean
}

/** The engraved rosette by which a person or a thing is recognised. */
export function Seal({ seed, size = 32, isFoil = false }: SealProps) {
  const { hue, rings } = drawSeal(seed)
  const color = isFoil ? 'var(--foil)' : `light-dark(oklch(0.5 0.12 ${hue}), oklch(0.8 0.1 ${hue}))`
  const ground = isFoil ? 'transparent' : `light-dark(oklch(0.955 0.022 ${hue}), oklch(0.28 0.04 ${hue}))`
  const isSmall = size < 40
  return (
    <svg
      viewBox="0 0 100 100"
      width={size}
      height={size}
      aria-hidden="true"
      className="shrink-0 rounded-full"
      style={{ background: ground, color }}
      fill="none"
      stroke="currentColor"
      strokeWidth={isSmall ? 2 : 0.9}
    >
      {(isSmall ? rings.slice(0, 2) : rings).map((ring) => (
        <path key={ring} d={ring} />
      ))}
    </svg>
  )
}
