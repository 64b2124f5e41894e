import { computeHue } from './identicon-path.ts'

interface AvatarProps {
  /** Chooses the colour. */
  id: string
  name: string
  /** The URL of the user's own picture. */
  picture?: string | null | undefined
  /** In pixels: 28 in a list, 32 in a card, 60 in the head of a record. */
  size?: number
}

/**
 * The picture of a user: their own, or initials on a colour that depends on the id. The initials are generated content,
 * because text would be a part of the accessible name of a link around it.
 */
export function Avatar({ id, name, picture, size = 28 }: AvatarProps) {
  const hue = computeHue(id)
  return (
    <span
      aria-hidden="true"
      data-initials={initialsOf(name)}
      className="relative grid shrink-0 place-items-center overflow-hidden rounded-full font-[620] select-none before:content-[attr(data-initials)]"
      style={{
        width: size,
        height: size,
        fontSize: Math.round(size * 0.38),
        background: `light-dark(oklch(0.92 0.045 ${hue}), oklch(0.36 0.07 ${hue}))`,
        color: `light-dark(oklch(0.38 0.1 ${hue}), oklch(0.9 0.06 ${hue}))`,
      }}
    >
      {picture && (
        // Hides the initials even if it is transparent; if it cannot be loaded, they appear again.
        <img
          key={picture}
          src={size > 48 ? picture : picture.replace(/\.png$/, '-96.png')}
          alt=""
          loading="lazy"
          className="absolute size-full object-cover"
          style={{ background: 'inherit' }}
          onError={({ currentTarget }) => {
            currentTarget.hidden = true
          }}
        />
      )}
    </span>
  )
}

/** Returns the initials of the first and the last word of a name; of one word, only the first. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words
  return picked.map((word) => (word as string).match(/^.\p{M}*/u)?.[0].toLocaleUpperCase()).join('')
}
