import { type ChangeObject, diffLines } from 'diff'

/** A line of a diff, or `skipped` consecutive unchanged lines far from any change. */
export type LineChange =
  | { kind: 'added' | 'removed' | 'same'; text: string; skipped?: never }
  | { kind: 'skipped'; skipped: number; text?: never }

/** The number of context lines around a change. */
const contextLines = 2
/** Texts with more edits are shown as one removed and one added, because the diff would take too long. */
const maxEdits = 2000

/** Computes a line diff of two texts. */
export function diffTexts(from: string, to: string): LineChange[] {
  const parts: Part[] = diffLines(from, to, { maxEditLength: maxEdits }) ?? [removedPart(from), addedPart(to)]
  return parts.flatMap(({ value, added, removed }, index): LineChange[] => {
    const lines = value.replace(/\n$/, '').split('\n')
    if (added || removed) return lines.map((text) => ({ kind: added ? 'added' : 'removed', text }))
    return foldLines(lines, { isFirst: index === 0, isLast: index === parts.length - 1 })
  })
}

type Part = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>
const removedPart = (value: string): Part => ({ value, added: false, removed: true })
const addedPart = (value: string): Part => ({ value, added: true, removed: false })

function foldLines(lines: string[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): LineChange[] {
  const head = isFirst ? 0 : contextLines
  const tail = isLast ? 0 : contextLines
  const skipped = lines.length - head - tail
  const same = (text: string) => ({ kind: 'same', text }) as const
  if (skipped <= 1) return lines.map(same)
  return [
    ...lines.slice(0, head).map(same),
    { kind: 'skipped', skipped },
    ...lines.slice(lines.length - tail).map(same),
  ]
}
