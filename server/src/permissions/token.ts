import type { Token } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'

/** A moment of this installation, as callers keep it. */
export const tokenOf = (epoch: string, rev: number): Token => Buffer.from(`${epoch}.${rev}`).toString('base64url')

/** Which tokens there are: of this epoch, and of former ones up to a revision. */
export interface Epochs {
  epoch: string
  former: Readonly<Record<string, number>>
}

/** The epoch and the number of a token; of what is none, an epoch that nobody has. */
function partsOf(token: Token): { of: string; rev: number } {
  const [, of = '', rev] = /^([0-9a-f]{32})\.(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString()) ?? []
  return { of, rev: Number(rev) }
}

const lastOf = (of: string, { epoch, former }: Epochs): number | undefined =>
  of === epoch ? Number.POSITIVE_INFINITY : Object.hasOwn(former, of) ? former[of] : undefined

/** Whether a token is of one of the epochs, of whichever moment. */
export const isOfEpochs = (token: Token, epochs: Epochs): boolean => lastOf(partsOf(token).of, epochs) !== undefined

/**
 * The revision of a token. Throws `token-invalid` for one that this installation did not give, or that it gave for a
 * moment which was lost when a backup was put back. `field` is its place in the request.
 */
export function revisionOf(token: Token, epochs: Epochs, field = 'consistency.token'): number {
  const { of, rev } = partsOf(token)
  const last = lastOf(of, epochs)
  if (last === undefined) throw new PermissionFault('token-invalid', 'The token is none of this installation.', field)
  if (rev <= last) return rev
  throw new PermissionFault('token-invalid', 'The token is of a moment that was lost with a restore: read anew.', field)
}
