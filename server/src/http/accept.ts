import type { IncomingHttpHeaders } from 'node:http'
import { parseAccept } from 'hono/utils/accept'

/** Browsers send fewer than 200 characters, and each further one costs time. Longer headers are cut off. */
const maxLength = 1000

/** Returns the part of an Accept header that counts. */
export const readAccept = ({ accept }: IncomingHttpHeaders): string | undefined => accept?.slice(0, maxLength)

/** Chooses the preferred of some media types (RFC 9110, section 12.5.1), or else the first one. */
export function chooseMediaType(headers: IncomingHttpHeaders, types: readonly [string, ...string[]]): string {
  const ranges = parseAccept(readAccept(headers) ?? '').map(({ type, q }) => ({ type: type.toLowerCase(), q }))
  const named = new Set(ranges.map(({ type }) => type))
  const matches = (range: string, type: string) =>
    range === type || (range === `${type.split('/')[0]}/*` && !named.has(type))
  for (const { type: range } of ranges.filter(({ q }) => q > 0).sort(compareRanges)) {
    const matched = types.find((type) => matches(range, type))
    if (matched !== undefined) return matched
  }
  return types[0]
}

/** Orders ranges by weight, then those of one type before those of many. */
const compareRanges = (a: { type: string; q: number }, b: { type: string; q: number }) =>
  b.q - a.q || Number(a.type.endsWith('/*')) - Number(b.type.endsWith('/*'))
