import { PermissionError, type Token } from '@passport/permissions'

/** Encodes a revision of this installation as an opaque token. */
export const encodeToken = (epoch: string, rev: number): Token => Buffer.from(`${epoch}.${rev}`).toString('base64url')

/** The valid epochs: the current one, and each former one with its last valid revision. */
export interface Epochs {
  epoch: string
  former: Readonly<Record<string, number>>
}

/** Returns the epoch and the revision of a token. A malformed token has an empty epoch, which is never known. */
function parseToken(token: Token): { tokenEpoch: string; rev: number } {
  const [, tokenEpoch = '', rev] = /^([0-9a-f]{32})\.(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString()) ?? []
  return { tokenEpoch, rev: Number(rev) }
}

const findLastRevision = (tokenEpoch: string, { epoch, former }: Epochs): number | undefined =>
  tokenEpoch === epoch ? Number.POSITIVE_INFINITY : Object.hasOwn(former, tokenEpoch) ? former[tokenEpoch] : undefined

/** Reports whether a token belongs to one of the epochs; its revision may have been lost. */
export const isKnownToken = (token: Token, epochs: Epochs): boolean =>
  findLastRevision(parseToken(token).tokenEpoch, epochs) !== undefined

/**
 * Returns the revision of a token. Throws `token-invalid` for a token of another installation, or if a restored backup
 * lacks the revision. `field` is the path of the token in the request.
 */
export function decodeRevision(token: Token, epochs: Epochs, field = 'consistency.token'): number {
  const { tokenEpoch, rev } = parseToken(token)
  const lastRevision = findLastRevision(tokenEpoch, epochs)
  if (lastRevision === undefined)
    throw new PermissionError('token-invalid', 'The token is not from this installation.', field)
  if (rev <= lastRevision) return rev
  throw new PermissionError(
    'token-invalid',
    'The revision of the token was lost when the database was restored. Read again without a token.',
    field,
  )
}
