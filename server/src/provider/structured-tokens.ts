import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { readForm, replaceForm } from '../http/form.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import type { Issuer } from './issuer.ts'
import { isValidPresentation } from './presentation.ts'

/**
 * Lets introspection and revocation accept our JWTs, which the library stores as opaque tokens by `jti`. Replaces a JWT
 * in the form with its `jti` before the library reads it; a foreign JWT becomes an unknown token.
 */
export async function unwrapToken(incoming: IncomingMessage, issuer: Issuer, publicUrl: string): Promise<void> {
  const form = await readForm(incoming)
  const token = form?.get('token')
  if (!form || !token || !isStructured(token)) return
  const claims = await readAccessToken(token, publicUrl, await issuer.keys(), { isForAnyApi: true })
  form.set('token', claims?.jti ?? 'unknown')
  await replaceForm(incoming, form)
}

/**
 * Reads the access token of a form (RFC 6750, section 2.2), which cannot be bound to a key.
 */
export async function readTokenFromForm(incoming: IncomingMessage, url: string): Promise<PresentedToken | undefined> {
  const { method = '' } = incoming
  const form = method === 'POST' ? await readForm(incoming) : undefined
  const token = form?.get('access_token')
  return token ? { scheme: 'bearer', token, proof: undefined, method, url } : undefined
}

/**
 * Returns the account and the granted scopes of a JWT of this issuer, for its userinfo (OpenID Connect Core, section
 * 5.3). Throws `invalid_token` or `insufficient_scope`.
 */
export async function readUserInfo(sql: Sql, issuer: Issuer, presented: PresentedToken, publicUrl: string) {
  const provider = await issuer.provider()
  const claims = await readAccessToken(presented.token, publicUrl, await issuer.keys())
  const accessToken = claims && (await provider.AccessToken.find(claims.jti))
  const grant = accessToken?.grantId ? await provider.Grant.find(accessToken.grantId) : undefined
  const isValid = claims && (await isValidPresentation(sql, presented, claims.cnf?.jkt))
  if (!isValid || !accessToken?.accountId || !grant)
    throw new errors.InvalidToken('the access token is invalid, expired or revoked')
  const scopes = grant.getOIDCScope().split(' ')
  if (!scopes.includes('openid')) throw new errors.InsufficientScope('access token missing openid scope', 'openid')
  return { accountId: accessToken.accountId, scopes }
}
