/**
 * Parses a query: every value is a string, and only a repeated name has a list, which keeps single values
 * distinguishable.
 */
export function parseSearch(search: string): Record<string, string | string[]> {
  const query = new URLSearchParams(search)
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** Formats a query. Spaces are written as %20, as in links, because a plus would be ambiguous. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) query.append(name, String(item))
  }
  const text = query.toString().replaceAll('+', '%20')
  return text ? `?${text}` : ''
}
