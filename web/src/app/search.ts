/** Queries as they are: every value is text, and a name that comes twice has a list, so that a single value can be told. */
export function parseSearch(search: string): Record<string, string | string[]> {
  const query = new URLSearchParams(search)
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** Blanks are written as %20, as links and people write them: a plus that means one looks like a plus. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  const text = query.toString().replaceAll('+', '%20')
  return text ? `?${text}` : ''
}
