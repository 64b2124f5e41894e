import type { Difference } from '../ui/CompareDialog.tsx'

type Values = Record<string, unknown>

/** Whether two values of a field are equal, including list entries. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Returns the fields where mine and theirs differ. The default choice is mine for fields I changed, otherwise theirs.
 */
export function compareVersions(
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
      mine: formatValue(mine[name]),
      theirs: formatValue(theirs[name]),
      choice: isSame(mine[name], base[name]) ? 'theirs' : 'mine',
    }))
}

/** Returns the values to save: mine, except where theirs was chosen. */
export function mergeVersions<V extends Values>(
  base: V,
  mine: V,
  theirs: V,
  choices: Record<string, 'mine' | 'theirs'>,
): V {
  const names = new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])
  return Object.fromEntries(
    [...names].map((name) => [name, choices[name] === 'theirs' ? theirs[name] : mine[name]]),
  ) as V
}

/** Formats a value for display. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
