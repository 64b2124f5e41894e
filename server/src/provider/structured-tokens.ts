import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import type { Presented } from '../http/presented-token.ts'
import { isStructured, readAccessToken } from './access-token.ts'
import { isPresentedRightly } from './dpop.ts'
import type { Issuer } from './issuer.ts'

const maxFormBytes = 16 * 1024

/**
 * Makes introspection and revocation take our JWTs. The library refuses every JWT there; to it our tokens are opaque
 * rows that go by the `jti`. So that is put in the place of the token in the form, before the library reads it; a JWT
 * that is not ours becomes a token that nobody has.
 */
export async function unwrapToken(incoming: IncomingMessage, issuer: Issuer, publicUrl: string): Promise<void> {
  const length = Number(incoming.headers['content-length'])
  if (!(length > 0 && length <= maxFormBytes)) return
  const body = await readExactly(incoming, length)
  const form = new URLSearchParams(body.toString('utf8'))
  const token = form.get('token')
  if (token === null || !isStructured(token)) return incoming.unshift(body)
  const claims = await readAccessToken(token, publicUrl, await issuer.keys())
  form.set('token', claims?.jti ?? 'unknown')
  const unwrapped = Buffer.from(form.toString())
  incoming.headers['content-length'] = String(unwrapped.length)
  incoming.unshift(unwrapped)
}

/** Not a byte more, so that the stream has not ended and what was read can be put back. */
async function readExactly(incoming: IncomingMessage, length: number): Promise<Buffer> {
  for (;;) {
    const chunk: Buffer | null = incoming.read(length)
    if (chunk) return chunk
    await new Promise<void>((resolve, reject) => {
      incoming.once('readable', resolve)
      incoming.once('error', reject)
      incoming.once('close', () => reject(new Error('The client left')))
    })
  }
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
