import type { Difference } from '../ui/CompareDialog.tsx'

type Values = Record<string, unknown>

/** Whether two values of a field are the same, lists entry by entry. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Where mine and theirs are not the same, given what both began with: my choice stands where I changed a field, theirs
 * where only they did.
 */
export function differencesOf(
  base: Values,
  mine: Values,
  theirs: Values,
  labels: Record<string, string>,
): Difference[] {
  return Object.keys(labels)
    .filter((name) => !isSame(mine[name], theirs[name]))
    .map((name) => ({
      name,
      label: labels[name] ?? name,
      mine: textOf(mine[name]),
      theirs: textOf(theirs[name]),
      choice: isSame(mine[name], base[name]) ? 'theirs' : 'mine',
    }))
}

/** What is to be saved: mine, but theirs where that was chosen. */
export function merged<V extends Values>(base: V, mine: V, theirs: V, choices: Record<string, 'mine' | 'theirs'>): V {
  const names = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])
  return Object.fromEntries(
    [...names].map((name) => [name, choices[name] === 'theirs' ? theirs[name] : mine[name]]),
  ) as V
}

/** A value as people read it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
