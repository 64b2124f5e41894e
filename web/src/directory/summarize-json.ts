/** Returns a JSON object as a list: “rail left · panels cast, props”; undefined for any other text. */
export function summarizeJson(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    const format = (item: unknown) =>
      Array.isArray(item) ? item.join(', ') : typeof item === 'object' ? JSON.stringify(item) : String(item)
    return Object.entries(value)
      .map(([name, item]) => `${name} ${format(item)}`)
      .join(' · ')
  } catch {
    return undefined
  }
}
