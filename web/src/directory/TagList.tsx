import { Tag } from '../ui/Tag.tsx'

const maxTags = 2
/** The number of characters that fit in the column. */
const maxCharacters = 22

/** At most two tags, one if they are long; the rest is a number. Without names, a dash. */
export function TagList({ names }: { names: string[] }) {
  if (names.length === 0) return <span className="text-ink3">–</span>
  const shown = names.slice(0, names.slice(0, maxTags).join('').length > maxCharacters ? 1 : maxTags)
  const hidden = names.slice(shown.length)
  return (
    <span className="flex items-center gap-1">
      {shown.map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {hidden.length > 0 && (
        <span className="text-[13px] text-ink3" title={hidden.join(', ')}>
          +{hidden.length}
        </span>
      )}
    </span>
  )
}
