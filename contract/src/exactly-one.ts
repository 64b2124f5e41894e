import * as z from 'zod/mini'

/** Requires one of two optional members, and not both. Without either, the first is missing. */
export function exactlyOne<First extends string, Second extends string>(first: First, second: Second) {
  return z.check<{ [Name in First | Second]?: unknown }>(({ value, issues }) => {
    const isMissing = value[first] === undefined
    if (isMissing !== (value[second] === undefined)) return
    const message = `Set either ${first} or ${second}.`
    issues.push({ code: 'custom', input: value, path: [first], message, params: { isMissing } })
  })
}
