import { createHash, randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose'
import type { Keys } from './keys.ts'
import type { Script, Session } from './script.ts'

/** The authorization request that a token goes back to, and whose session answered it. */
export interface IssuedFor {
  query: Record<string, string>
  session: Session
}

export interface Tokens {
  codeFor: (grant: IssuedFor) => string
  idToken: (grant: IssuedFor) => Promise<string>
  /** The token endpoint: codes and refresh tokens are good for once. */
  answer: (c: Context) => Promise<Response>
  userInfo: (c: Context) => Promise<Response>
  forget: () => void
}

const nonce = 'the-nonce-of-shoal'
const now = () => Math.floor(Date.now() / 1000)

export function createTokens(keys: Keys, provider: { issuer: string; script: Script }): Tokens {
  const codes = new Map<string, IssuedFor>()
  const refreshTokens = new Map<string, IssuedFor>()
  const accessTokens = new Map<string, { grant: IssuedFor; thumbprint: string | undefined }>()
  /** When each session began: the authentication that all its tokens tell of. */
  const authenticatedAt = new Map<string, number>()

  const codeFor = (grant: IssuedFor) => {
    const code = randomUUID()
    codes.set(code, grant)
    return code
  }

  const idToken = ({ query, session }: IssuedFor) => {
    const authTime = authenticatedAt.get(session.sid) ?? now()
    authenticatedAt.set(session.sid, authTime)
    const claims = {
      iss: provider.issuer,
      sub: session.sub,
      aud: query['client_id'],
      azp: query['client_id'],
      sid: session.sid,
      auth_time: authTime,
      iat: now(),
      exp: now() + 3600,
      nonce: query['nonce'] || undefined,
      ...provider.script.claims,
    }
    return keys.sign(claims, provider.script)
  }

  const answer = async (c: Context) => {
    const form = (await c.req.parseBody()) as Record<string, string>
    const proof = c.req.header('dpop')
    const thumbprint = proof && (await thumbprintOf(proof, provider.script.wantsNonce))
    if (thumbprint === 'use_dpop_nonce') return c.json({ error: thumbprint }, 400, { 'dpop-nonce': nonce })
    const grant = form['grant_type'] === 'refresh_token' ? refreshGrant(form) : codeGrant(form)
    if (!grant) return c.json({ error: 'invalid_grant', error_description: 'It was used, or never given.' }, 400)
    const accessToken = randomUUID()
    accessTokens.set(accessToken, { grant, thumbprint: thumbprint || undefined })
    return c.json({
      access_token: accessToken,
      token_type: proof ? 'DPoP' : 'Bearer',
      expires_in: 3600,
      scope: grant.query['scope'],
      id_token: await idToken(grant),
      ...(grant.query['scope']?.includes('offline_access') && { refresh_token: refreshTokenFor(grant) }),
      ...provider.script.tokens,
    })
  }

  function codeGrant(form: Record<string, string>): IssuedFor | undefined {
    const grant = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    const isRight = challenge === grant?.query['code_challenge'] && form['redirect_uri'] === grant.query['redirect_uri']
    return isRight ? grant : undefined
  }

  function refreshGrant(form: Record<string, string>): IssuedFor | undefined {
    const grant = refreshTokens.get(form['refresh_token'] ?? '')
    refreshTokens.delete(form['refresh_token'] ?? '')
    // Tokens of a refresh have no nonce (OpenID Connect Core, section 12.2).
    return grant && { ...grant, query: { ...grant.query, nonce: '' } }
  }

  function refreshTokenFor(grant: IssuedFor): string {
    const refreshToken = randomUUID()
    refreshTokens.set(refreshToken, grant)
    return refreshToken
  }

  const userInfo = async (c: Context) => {
    const [, scheme, token = ''] = /^(Bearer|DPoP) (.+)$/.exec(c.req.header('authorization') ?? '') ?? []
    const known = accessTokens.get(token)
    const proof = c.req.header('dpop')
    const thumbprint = scheme === 'DPoP' && proof ? await thumbprintOf(proof, provider.script.wantsNonce) : undefined
    if (thumbprint === 'use_dpop_nonce') {
      return c.body(null, 401, { 'dpop-nonce': nonce, 'www-authenticate': `DPoP error="${thumbprint}"` })
    }
    if (!known || known.thumbprint !== thumbprint) return c.json({ error: 'invalid_token' }, 401)
    const claims = { sub: known.grant.session.sub, ...provider.script.userInfoClaims }
    const { userInfoForm, hasKeyIds } = provider.script
    if (userInfoForm === 'json') return c.json(claims)
    const signature = userInfoForm === 'signed' ? 'right' : 'forged'
    return c.body(await keys.sign(claims, { signature, hasKeyIds }), 200, { 'content-type': 'application/jwt' })
  }

  const forget = () => {
    for (const map of [codes, refreshTokens, accessTokens, authenticatedAt]) map.clear()
  }
  return { codeFor, idToken, answer, userInfo, forget }
}

/** The key that a proof of possession was made with (RFC 9449, section 4.3). */
async function thumbprintOf(proof: string, wantsNonce: boolean): Promise<string> {
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' })
  if (wantsNonce && payload['nonce'] !== nonce) return 'use_dpop_nonce'
  return calculateJwkThumbprint(protectedHeader.jwk as JWK)
}
