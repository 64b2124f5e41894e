import { drawIdenticon } from './identicon-path.ts'

interface IdenticonProps {
  /** The id of the represented user or object. */
  seed: string
  /** In pixels; below 40, it has fewer, bolder lines. */
  size?: number
  /** Gold: for the brand and for empty states. */
  isGold?: boolean
}

/** The avatar pattern that identifies a user or an object. */
export function Identicon({ seed, size = 32, isGold = false }: IdenticonProps) {
  const { hue, rings } = drawIdenticon(seed)
  const color = isGold ? 'var(--foil)' : `light-dark(oklch(0.5 0.12 ${hue}), oklch(0.8 0.1 ${hue}))`
  const background = isGold ? 'transparent' : `light-dark(oklch(0.955 0.022 ${hue}), oklch(0.28 0.04 ${hue}))`
  const isSmall = size < 40
  return (
    <svg
      viewBox="0 0 100 100"
      width={size}
      height={size}
      aria-hidden="true"
      className="shrink-0 rounded-full"
      style={{ background, color }}
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
