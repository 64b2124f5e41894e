import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { takeBody } from '../http/body.ts'
import type { Presented } from '../http/presented-token.ts'
import { isStructured, readAccessToken } from './access-token.ts'
import { isPresentedRightly } from './dpop.ts'
import type { Issuer } from './issuer.ts'

/**
 * Makes introspection and revocation take our JWTs. The library refuses every JWT there; to it our tokens are opaque
 * rows that go by the `jti`. So that is put in the place of the token in the form, before the library reads it; a JWT
 * that is not ours becomes a token that nobody has.
 */
export async function unwrapToken(incoming: IncomingMessage, issuer: Issuer, publicUrl: string): Promise<void> {
  const body = await takeBody(incoming)
  if (body.length === 0) return
  const form = new URLSearchParams(body.toString('utf8'))
  const token = form.get('token')
  if (token === null || !isStructured(token)) return incoming.unshift(body)
  const claims = await readAccessToken(token, publicUrl, await issuer.keys())
  form.set('token', claims?.jti ?? 'unknown')
  const unwrapped = Buffer.from(form.toString())
  if (incoming.headers['content-length']) incoming.headers['content-length'] = String(unwrapped.length)
  incoming.unshift(unwrapped)
}

/** What userinfo answers to the bearer of a JWT of ours (OpenID Connect Core, section 5.3). */
export async function userInfoOf(sql: Sql, issuer: Issuer, presented: Presented, publicUrl: string) {
  const provider = await issuer.provider()
  const claims = await readAccessToken(presented.token, publicUrl, await issuer.keys())
  const accessToken = claims && (await provider.AccessToken.find(claims.jti))
  const grant = accessToken?.grantId ? await provider.Grant.find(accessToken.grantId) : undefined
  const isRightly = claims && (await isPresentedRightly(sql, presented, claims.cnf?.jkt))
  if (!isRightly || !accessToken?.accountId || !grant)
    throw new errors.InvalidToken('the access token is not, or no longer, good')
  const scopes = grant.getOIDCScope().split(' ')
  if (!scopes.includes('openid')) throw new errors.InsufficientScope('access token missing openid scope', 'openid')
  return { accountId: accessToken.accountId, scopes }
}
