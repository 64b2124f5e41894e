import { Problem } from '../http/problem.ts'
import type { DeviceRequest } from './store.ts'

export const noSuchCode = (): Problem =>
  new Problem(404, 'device-code-not-found', 'There is no such code. Look at your device again.')

export const codeExpired = (): Problem =>
  new Problem(410, 'device-code-expired', 'The code has expired. Start again on your device.')

/**
 * The request, where the person may still say something about it. What somebody else decided looks as if it had never
 * been there; to who decided it themselves it is used. Throws 404, 409 or 410.
 */
export function openRequest(request: DeviceRequest | undefined, userId: string): DeviceRequest {
  if (!request) throw noSuchCode()
  if (request.decision) {
    if (request.decidedBy !== userId) throw noSuchCode()
    throw new Problem(409, 'device-code-used', `You have ${request.decision} this device already.`)
  }
  if (request.isExpired) throw codeExpired()
  return request
}

/** The scopes that are allowed: those asked for, or fewer. Throws 400. */
export function narrowedScopes(asked: string[], wanted: string[] | undefined): string[] {
  const unknown = wanted?.find((scope) => !asked.includes(scope))
  if (unknown !== undefined)
    throw new Problem(400, 'invalid-request', 'A scope may be left out, and none added.', {
      errors: [{ field: 'body.scopes', code: 'not-asked-for', message: `${unknown} was not asked for` }],
    })
  return wanted ?? asked
}
