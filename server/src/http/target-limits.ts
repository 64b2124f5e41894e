import type { Problem } from './problem.ts'
import { tooManyParameters, uriTooLong } from './problems.ts'

/** More than proxies usually accept. Headers may have more, for the cookies of other applications. */
const maxTargetLength = 16 * 1024
/** Many times those of any endpoint. Libraries look up each parameter among all others. */
const maxParameters = 100

/** Returns the problem of a request target (RFC 9112, section 3.2) that would take more work than any usual one. */
export function findTargetProblem(target: string): Problem | undefined {
  if (target.length > maxTargetLength) return uriTooLong()
  const queryAt = target.indexOf('?')
  return queryAt >= 0 && hasManyParameters(target, queryAt) ? tooManyParameters() : undefined
}

/** Throws 400 if a form has more parameters than any usual one. */
export function rejectManyParameters(form: string): void {
  if (hasManyParameters(form, 0)) throw tooManyParameters()
}

function hasManyParameters(text: string, start: number): boolean {
  let count = 1
  for (let at = text.indexOf('&', start); at >= 0 && count <= maxParameters; at = text.indexOf('&', at + 1)) count++
  return count > maxParameters
}
