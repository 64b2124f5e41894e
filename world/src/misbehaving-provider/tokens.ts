import { createHash, randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose'
import type { Keys } from './keys.ts'
import type { Script, Session } from './script.ts'

/** The authorization request of a token, and the session that granted it. */
export interface Grant {
  query: Record<string, string>
  session: Session
}

export interface Tokens {
  issueCode: (grant: Grant) => string
  issueIdToken: (grant: Grant) => Promise<string>
  /** Handles a token request. Codes and refresh tokens can be used once. */
  handleToken: (c: Context) => Promise<Response>
  handleUserInfo: (c: Context) => Promise<Response>
  /** Deletes all codes, tokens and authentication times. */
  clear: () => void
}

const nonce = 'the-nonce-of-op'
const now = () => Math.floor(Date.now() / 1000)

export function createTokens(keys: Keys, provider: { issuer: string; script: Script }): Tokens {
  const codes = new Map<string, Grant>()
  const refreshTokens = new Map<string, Grant>()
  const accessTokens = new Map<string, { grant: Grant; thumbprint: string | undefined }>()
  /** The authentication time of each session, by its `sid`: all its tokens have the same. */
  const authenticatedAt = new Map<string, number>()

  const issueCode = (grant: Grant) => {
    const code = randomUUID()
    codes.set(code, grant)
    return code
  }

  const issueIdToken = ({ query, session }: Grant) => {
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

  const handleToken = async (c: Context) => {
    const form = (await c.req.parseBody()) as Record<string, string>
    const proof = c.req.header('dpop')
    const thumbprint = proof && (await verifyProof(proof, provider.script.requiresDpopNonce))
    if (thumbprint === 'use_dpop_nonce') return c.json({ error: thumbprint }, 400, { 'dpop-nonce': nonce })
    const grant = form['grant_type'] === 'refresh_token' ? takeRefreshGrant(form) : takeCodeGrant(form)
    if (!grant)
      return c.json({ error: 'invalid_grant', error_description: 'The code or token was used or never issued.' }, 400)
    const accessToken = randomUUID()
    accessTokens.set(accessToken, { grant, thumbprint: thumbprint || undefined })
    return c.json({
      access_token: accessToken,
      token_type: proof ? 'DPoP' : 'Bearer',
      expires_in: 3600,
      scope: grant.query['scope'],
      id_token: await issueIdToken(grant),
      ...(grant.query['scope']?.includes('offline_access') && { refresh_token: issueRefreshToken(grant) }),
      ...provider.script.tokenResponse,
    })
  }

  function takeCodeGrant(form: Record<string, string>): Grant | undefined {
    const grant = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    const isValid = challenge === grant?.query['code_challenge'] && form['redirect_uri'] === grant.query['redirect_uri']
    return isValid ? grant : undefined
  }

  function takeRefreshGrant(form: Record<string, string>): Grant | undefined {
    const grant = refreshTokens.get(form['refresh_token'] ?? '')
    refreshTokens.delete(form['refresh_token'] ?? '')
    // Tokens of a refresh have no nonce (OpenID Connect Core, section 12.2).
    return grant && { ...grant, query: { ...grant.query, nonce: '' } }
  }

  function issueRefreshToken(grant: Grant): string {
    const refreshToken = randomUUID()
    refreshTokens.set(refreshToken, grant)
    return refreshToken
  }

  const handleUserInfo = async (c: Context) => {
    const [, scheme, token = ''] = /^(Bearer|DPoP) (.+)$/.exec(c.req.header('authorization') ?? '') ?? []
    const issued = accessTokens.get(token)
    const proof = c.req.header('dpop')
    const thumbprint =
      scheme === 'DPoP' && proof ? await verifyProof(proof, provider.script.requiresDpopNonce) : undefined
    if (thumbprint === 'use_dpop_nonce') {
      return c.body(null, 401, { 'dpop-nonce': nonce, 'www-authenticate': `DPoP error="${thumbprint}"` })
    }
    if (!issued || issued.thumbprint !== thumbprint) return c.json({ error: 'invalid_token' }, 401)
    const claims = { sub: issued.grant.session.sub, ...provider.script.userInfoClaims }
    const { userInfoForm, hasKeyIds } = provider.script
    if (userInfoForm === 'json') return c.json(claims)
    const signature = userInfoForm === 'signed' ? 'valid' : 'forged'
    return c.body(await keys.sign(claims, { signature, hasKeyIds }), 200, { 'content-type': 'application/jwt' })
  }

  const clear = () => {
    for (const map of [codes, refreshTokens, accessTokens, authenticatedAt]) map.clear()
  }
  return { issueCode, issueIdToken, handleToken, handleUserInfo, clear }
}

/**
 * Verifies a DPoP proof (RFC 9449, section 4.3). Returns the thumbprint of its key, or `use_dpop_nonce` if the required
 * nonce is missing.
 */
async function verifyProof(proof: string, requiresNonce: boolean): Promise<string> {
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' })
  if (requiresNonce && payload['nonce'] !== nonce) return 'use_dpop_nonce'
  return calculateJwkThumbprint(protectedHeader.jwk as JWK)
}
