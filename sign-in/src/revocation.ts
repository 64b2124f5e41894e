import type { Abortable, Context } from './context.ts'
import { signinError } from './errors.ts'
import { exchange } from './protocol/connection.ts'
import { readRevocationResponse, sendRevocationRequest } from './protocol/revocation.ts'
import { User } from './user.ts'

/** Revokes the tokens of the stored user and stores the user without them. Does nothing without tokens. */
export async function revokeTokens(context: Context, options: Abortable): Promise<void> {
  const { currentUser } = context
  const user = currentUser.get()
  if (!user || !(await revokeUserTokens(context, user, options))) return
  currentUser.accept(new User({ ...user, access_token: null, refresh_token: null, expires_at: null, token_type: null }))
}

/**
 * Revokes the access token, then the refresh token. Access tokens with a dot are JWTs, which resource servers validate
 * offline, and are skipped. Resolves with whether anything was revoked; rejects with `no_revocation_endpoint` if there
 * is a token to revoke but no endpoint.
 */
export async function revokeUserTokens({ provider }: Context, user: User, { signal }: Abortable): Promise<boolean> {
  const { access_token, refresh_token } = user
  const revoke = async (token: string, hint: 'access_token' | 'refresh_token') => {
    const connection = await provider.connect(signal)
    if (!connection.server.revocation_endpoint) throw signinError('no_revocation_endpoint')
    await exchange(() => sendRevocationRequest(connection, token, hint), readRevocationResponse, signal)
    return true
  }
  const hasAccess = access_token && !access_token.includes('.') && (await revoke(access_token, 'access_token'))
  const hasRefresh = refresh_token && (await revoke(refresh_token, 'refresh_token'))
  return Boolean(hasAccess || hasRefresh)
}
