import { jwtVerify } from 'jose'
import type { KeySet } from './key-set.ts'
import { OAuthError } from './oauth-error.ts'

interface HintOptions {
  issuer: string
  /** The client that must have got the token. */
  audience: string
  keys: KeySet
}

/**
 * Returns the user of an ID token that a client presents as a hint (OpenID Connect Core, section 3.1.2.1). It may have
 * expired. Throws `invalid_request`.
 */
export async function readIdTokenHint(hint: string, { issuer, audience, keys }: HintOptions): Promise<string> {
  try {
    const options = { issuer, audience, requiredClaims: ['sub'], currentDate: new Date(0) }
    const { payload, protectedHeader } = await jwtVerify(hint, keys.findKey, options)
    // Access tokens and logout tokens say what they are.
    if (protectedHeader.typ === undefined || protectedHeader.typ === 'JWT') return String(payload.sub)
  } catch {}
  throw new OAuthError('invalid_request', 'The id_token_hint is not an ID token of this issuer for the client.')
}
