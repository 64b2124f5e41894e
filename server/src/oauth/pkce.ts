import { hashToken, isSameSecret } from '../vault.ts'

/** Reports whether a text has the syntax of a verifier and of a challenge (RFC 7636, sections 4.1 and 4.2). */
export const isPkceValue = (text: string): boolean => /^[\w.~-]{43,128}$/.test(text)

/** Returns the challenge of a verifier by `S256`, the only supported method (RFC 7636, section 4.2). */
export const toCodeChallenge = (verifier: string): string => hashToken(verifier)

/**
 * Reports whether a verifier proves that the client started the authorization (RFC 7636, section 4.6). A code without a
 * challenge is exchanged without a verifier (RFC 9700, section 2.1.1).
 */
export function isProvenBy(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier
  return isPkceValue(verifier) && isSameSecret(challenge, toCodeChallenge(verifier))
}
