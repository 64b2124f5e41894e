import type { Difference } from '../ui/CompareDialog.tsx'

type Values = Record<string, unknown>

/** Reports whether two field values are deeply equal. */
export const isEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** Returns the fields with different values. Fields that the user changed default to `mine`, the others to `theirs`. */
export function compareVersions(
  base: Values,
  mine: Values,
  theirs: Values,
  labels: Record<string, string>,
): Difference[] {
  return Object.keys(labels)
    .filter((name) => !isEqual(mine[name], theirs[name]))
    .map((name) => ({
      name,
      label: labels[name] ?? name,
      mine: formatValue(mine[name]),
      theirs: formatValue(theirs[name]),
      choice: isEqual(mine[name], base[name]) ? 'theirs' : 'mine',
    }))
}

/** Returns the values to save: `mine`, except in fields with the choice `theirs`. */
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
