/** The claims of each scope (OpenID Connect Core, section 5.4). */
export const claimsByScope = {
  openid: ['sub'],
  profile: ['name', 'preferred_username'],
  email: ['email', 'email_verified'],
  connections: ['connections'],
  entitlements: ['ent', 'ent_truncated'],
}

/** What the claims say about a user. */
export interface ClaimedUser {
  id: string
  username: string | null
  displayName: string | null
  email: string | null
  emailVerified: boolean
}

/** Returns the claims about a user; unset fields have none (OpenID Connect Core, section 5.1). */
export const toUserClaims = ({ id, displayName, username, email, emailVerified }: ClaimedUser) => ({
  sub: id,
  ...(displayName !== null && { name: displayName }),
  ...(username !== null && { preferred_username: username }),
  ...(email !== null && { email, email_verified: emailVerified }),
})

/** Returns those of the claims that scopes cover, and of these only `names` if they are given. */
export function pickClaims(claims: object, scopes: string[], names?: string[]): Record<string, unknown> {
  const covered = new Set<string>(scopes.flatMap((scope) => findClaims(scope)))
  return Object.fromEntries(
    Object.entries(claims).filter(([name]) => covered.has(name) && (names === undefined || names.includes(name))),
  )
}

const findClaims = (scope: string): string[] =>
  Object.hasOwn(claimsByScope, scope) ? claimsByScope[scope as keyof typeof claimsByScope] : []
