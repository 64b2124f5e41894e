import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { exchange } from './protocol/connection.ts'
import { readRevocationResponse, revocationRequest } from './protocol/revocation.ts'
import { User } from './user.ts'

/** Revokes what the stored user holds, and stores the user without it. Without anything to revoke nothing happens. */
export async function revokeTokens(context: Context, options: Abortable): Promise<void> {
  const { currentUser } = context
  const user = currentUser.get()
  if (!user || !(await revokeTokensOf(context, user, options))) return
  currentUser.accept(new User({ ...user, access_token: null, refresh_token: null, expires_at: null, token_type: null }))
}

/**
 * Revokes the access token, then the refresh token. Access tokens with a dot in them are JWTs, which resource servers
 * judge without asking, and are left alone. Answers whether anything was revoked; rejects with `no_revocation_endpoint`
 * where something should have been and could not.
 */
export async function revokeTokensOf({ provider }: Context, user: User, { signal }: Abortable): Promise<boolean> {
  const { access_token, refresh_token } = user
  const revoke = async (token: string, hint: 'access_token' | 'refresh_token') => {
    const connection = await provider.connect(signal)
    if (!connection.server.revocation_endpoint) throw signinError('no_revocation_endpoint')
    await exchange(() => revocationRequest(connection, token, hint), readRevocationResponse, signal)
    return true
  }
  const hasAccess = access_token && !access_token.includes('.') && (await revoke(access_token, 'access_token'))
  const hasRefresh = refresh_token && (await revoke(refresh_token, 'refresh_token'))
  return Boolean(hasAccess || hasRefresh)
}
