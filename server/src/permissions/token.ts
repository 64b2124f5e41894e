import type { Token } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'

/** A moment of this installation, as callers keep it. */
export const tokenOf = (epoch: string, rev: number): Token => Buffer.from(`${epoch}.${rev}`).toString('base64url')

/** The revision of a token. Throws `token-invalid` for one that this installation did not give. */
export function revisionOf(token: Token, epoch: string): number {
  const [, of, rev] = /^([0-9a-f]{32})\.(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (of !== epoch) throw new PermissionFault('token-invalid', 'The token is none of this installation.', 'token')
  return Number(rev)
}
