import { type ChangeObject, diffLines } from 'diff'

/** A line of a text that was changed, or `skipped` lines in a row that are the same and far from any change. */
export type LineChange =
  | { kind: 'added' | 'removed' | 'same'; text: string; skipped?: never }
  | { kind: 'skipped'; skipped: number; text?: never }

/** So many lines that are the same stand around what is not. */
const around = 2
/** Texts that differ in more lines are told as one gone and one new: finding what they share takes too long. */
const mostEdits = 2000

/** How two texts differ, line by line. */
export function lineChanges(from: string, to: string): LineChange[] {
  const parts: Part[] = diffLines(from, to, { maxEditLength: mostEdits }) ?? [gone(from), fresh(to)]
  return parts.flatMap(({ value, added, removed }, at): LineChange[] => {
    const lines = value.replace(/\n$/, '').split('\n')
    if (added || removed) return lines.map((text) => ({ kind: added ? 'added' : 'removed', text }))
    return folded(lines, { isFirst: at === 0, isLast: at === parts.length - 1 })
  })
}

type Part = Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>
const gone = (value: string): Part => ({ value, added: false, removed: true })
const fresh = (value: string): Part => ({ value, added: true, removed: false })

function folded(lines: string[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): LineChange[] {
  const head = isFirst ? 0 : around
  const tail = isLast ? 0 : around
  const skipped = lines.length - head - tail
  const same = (text: string) => ({ kind: 'same', text }) as const
  if (skipped <= 1) return lines.map(same)
  return [
    ...lines.slice(0, head).map(same),
    { kind: 'skipped', skipped },
    ...lines.slice(lines.length - tail).map(same),
  ]
}
