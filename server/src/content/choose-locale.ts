import { canonicaliseLocale } from '@passport/contract/content'

/** Longer headers are cut off, and further ranges ignored. */
const maxHeader = 1000
const maxRanges = 30

/**
 * Returns the language ranges of an Accept-Language header by their weights, best first (RFC 9110, section 12.5.4).
 * Omits invalid ranges, and those with the weight 0.
 */
export function parseAcceptLanguage(header: string | undefined): string[] {
  const ranges = (header ?? '').slice(0, maxHeader).split(',', maxRanges)
  return ranges
    .flatMap((text) => {
      const [, range, weight = '1'] =
        /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/.exec(
          text,
        ) ?? []
      return range !== undefined && Number(weight) > 0 ? [{ range, weight: Number(weight) }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

/**
 * Chooses the best of some language tags for ranges in the order of preference: each range is shortened until it equals a
 * tag (RFC 4647, section 3.4). Returns undefined if none does.
 */
export function chooseLocale(ranges: string[], tags: string[]): string | undefined {
  const byLowerCase = new Map(tags.map((tag) => [tag.toLowerCase(), tag]))
  for (const range of ranges) {
    const subtags = (canonicaliseLocale(range) ?? range).toLowerCase().split('-')
    while (subtags.length > 0) {
      const tag = byLowerCase.get(subtags.join('-'))
      if (tag !== undefined) return tag
      subtags.pop()
      // A single character, such as the x of a private use, means nothing without the subtag after it.
      if (subtags.at(-1)?.length === 1) subtags.pop()
    }
  }
  return undefined
}
