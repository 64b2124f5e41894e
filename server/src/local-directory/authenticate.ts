import { toInstant } from '../accounts/auth-time.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import type { Authentication } from '../login/upstream-flow.ts'
import type { DirectoryUser } from './store.ts'

/** The claims of the directory about a user. */
export function toClaims({ id, name, displayName, email, emailVerified }: DirectoryUser) {
  return {
    sub: id,
    name: displayName,
    ...(name !== id && { preferred_username: name }),
    ...(email !== '' && { email, email_verified: emailVerified }),
  }
}

/** Returns the authentication of a user whose password was right just now, as an identity provider states it. */
export function authenticateUser({ issuer }: Pick<Upstream, 'issuer'>, user: DirectoryUser): Authentication {
  return {
    claims: { iss: issuer, ...toClaims(user) },
    authTime: toInstant(Math.floor(Date.now() / 1000)),
    amr: ['pwd'],
    acr: null,
    idToken: null,
  }
}
