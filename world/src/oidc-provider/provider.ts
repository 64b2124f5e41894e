import { createHash, randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { serveApp } from '../serve-app.ts'
import { type Fault, isFault } from './faults.ts'
import { renderSignInPage } from './pages.ts'
import { createUser, initialUsers, type ProviderUser } from './users.ts'

export interface OidcProviderOptions {
  port?: number
  /** The name on its page; defaults to “Harbour ID”. */
  name?: string
  clientId: string
  clientSecret: string
  /** The only allowed redirect URI. */
  redirectUri: string
  /** The names that its page offers; those of `initialUsers` by default. */
  people?: string[]
  /** Signs in the person that a request names by `login_hint`, without the page, except for `prompt=login`. */
  followsHint?: true
  /** Never sends `auth_time`, like some providers, even if requested. */
  omitsAuthTime?: true
  /** How users authenticate, in every ID token: `amr` and `acr` (OpenID Connect Core, section 2). */
  authentication?: { amr?: string[]; acr?: string }
}

/** An access token for an API, as a JWT (RFC 9068). */
export interface ApiToken {
  audience: string
  scope: string
  [claim: string]: unknown
}

export interface RunningProvider {
  issuer: string
  /** Issues an access token for an API to the user with this name, without interaction. */
  issueToken: (name: string, token: ApiToken) => Promise<string>
  stop: () => Promise<void>
}

interface Grant {
  user: ProviderUser
  fault: Fault
  nonce: string | undefined
  codeChallenge: string
  authTime: number
  expiresAt: number
}

const kid = 'harbour-1'
const now = () => Math.floor(Date.now() / 1000)

/**
 * Starts a simulated OpenID Provider: authorization code with PKCE, RS256, a list of users and no
 * passwords. A fault can be chosen at sign-in (`faults`).
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<RunningProvider> {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const unpublished = await generateKeyPair('RS256')
  const published = { ...(await exportJWK(keys.publicKey)), kid, alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, ProviderUser>()
  const app = new Hono()
  let issuer = ''

  app.get('/.well-known/openid-configuration', (c) =>
    c.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/endsession`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'profile', 'email'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }),
  )
  app.get('/jwks', (c) => c.json({ keys: [published] }))
  const users = options.people?.map(createUser) ?? initialUsers
  app.get('/authorize', (c) => {
    const query = c.req.query()
    const rejection = rejectInvalidRequest(query, options)
    if (rejection) return rejection
    const hinted = options.followsHint && query['prompt'] !== 'login' && findHinted(users, query['login_hint'])
    if (hinted) return c.redirect(buildRedirect({ ...query, name: hinted.name }), 303)
    return c.html(renderSignInPage(options.name ?? 'Harbour ID', query, users))
  })
  app.post('/authorize', async (c) => {
    const form = Object.fromEntries(
      Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]),
    )
    return rejectInvalidRequest(form, options) ?? c.redirect(buildRedirect(form), 303)
  })
  app.post('/token', (c) => handleToken(c))
  app.get('/userinfo', (c) => {
    const user = accessTokens.get(/^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '')
    return user ? c.json(user) : c.json({ error: 'invalid_token' }, 401)
  })
  app.get('/endsession', (c) => c.redirect(c.req.query('post_logout_redirect_uri') ?? '/', 303))

  const served = await serveApp(app, options.port)
  issuer = `http://localhost:${served.port}`
  return {
    issuer,
    issueToken: (name, { audience, ...claims }) =>
      new SignJWT({ sub: createUser(name).sub, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(keys.privateKey),
    stop: served.stop,
  }

  /** Builds the URL of the authorization response (RFC 6749, section 4.1.2; RFC 9207 for `iss`). */
  function buildRedirect(form: Record<string, string>): string {
    const fault = isFault(form['fault']) ? form['fault'] : 'none'
    const target = new URL(form['redirect_uri'] ?? '')
    const redirectWith = (parameters: Record<string, string>) => {
      for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
      return target.href
    }
    const state = fault === 'wrong-state' ? 'another-state' : (form['state'] ?? '')
    const iss = fault === 'wrong-response-issuer' ? 'https://elsewhere.example' : issuer
    if (fault === 'cancel')
      return redirectWith({ error: 'access_denied', error_description: 'The user denied the request.', state, iss })
    if (fault === 'server-error') return redirectWith({ error: 'server_error', state, iss })
    const code = randomUUID()
    grants.set(code, {
      user: createUser(form['name'] ?? ''),
      fault,
      nonce: form['nonce'],
      codeChallenge: form['code_challenge'] ?? '',
      authTime: now(),
      expiresAt: now() + 60,
    })
    return redirectWith({ code, state, iss })
  }

  /** Sends the token response (RFC 6749, section 4.1.4) with an ID token (OpenID Connect Core, section 3.1.3.3). */
  async function handleToken(c: Context) {
    const form = await c.req.parseBody()
    const code = String(form['code'])
    const grant = grants.get(code)
    grants.delete(code)
    if (grant?.fault === 'no-token-endpoint') {
      c.env.incoming.socket.destroy()
      return c.body(null)
    }
    if (!isAuthenticated(c.req.header('authorization'), form, options) || grant?.fault === 'wrong-client') {
      return c.json({ error: 'invalid_client' }, 401)
    }
    const isValid = grant && grant.expiresAt > now() && isVerifier(String(form['code_verifier']), grant.codeChallenge)
    if (!isValid || grant.fault === 'spent-code')
      return c.json({ error: 'invalid_grant', error_description: 'The code was already used.' }, 400)
    const accessToken = randomUUID()
    accessTokens.set(accessToken, grant.user)
    return c.json({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      id_token: await issueIdToken(grant),
    })
  }

  function issueIdToken({ user, fault, nonce, authTime }: Grant) {
    const clockOffset = fault === 'expired' ? -2 * 3600 : fault === 'future' ? 3600 : 0
    const issuedAt = now() + clockOffset
    const sendsAuthTime = !options.omitsAuthTime && fault !== 'no-auth-time'
    const claims = {
      ...user,
      ...options.authentication,
      ...(fault === 'unstorable-claim' && { nickname: 'a\0b' }),
      ...(nonce !== undefined && { nonce: fault === 'wrong-nonce' ? 'another-nonce' : nonce }),
      ...(sendsAuthTime && { auth_time: fault === 'stale' ? authTime - 3600 : authTime + clockOffset }),
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid })
      .setIssuer(fault === 'wrong-token-issuer' ? 'https://elsewhere.example' : issuer)
      .setAudience(fault === 'wrong-audience' ? 'another-client' : options.clientId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3600)
      .sign(fault === 'forged-signature' ? unpublished.privateKey : keys.privateKey)
  }
}

const findHinted = (users: ProviderUser[], hint: string | undefined) =>
  users.find(({ email, preferred_username }) => hint !== undefined && [email, preferred_username].includes(hint))

/** Returns the error for an invalid authorization request, which cannot be redirected; undefined for a valid one. */
function rejectInvalidRequest(
  query: Record<string, string>,
  { clientId, redirectUri }: OidcProviderOptions,
): Response | undefined {
  const isKnownClient = query['client_id'] === clientId && query['redirect_uri'] === redirectUri
  const isCode = query['response_type'] === 'code' && query['code_challenge_method'] === 'S256'
  return isKnownClient && isCode ? undefined : new Response('Invalid authorization request.', { status: 400 })
}

/** Reports whether a token request authenticates the client, by client_secret_basic or client_secret_post. */
function isAuthenticated(
  header: string | undefined,
  form: Record<string, unknown>,
  { clientId, clientSecret }: OidcProviderOptions,
) {
  const basic = Buffer.from(/^Basic (.+)$/.exec(header ?? '')?.[1] ?? '', 'base64').toString()
  const [id, secret] = basic ? basic.split(':').map(formDecode) : [form['client_id'], form['client_secret']]
  return id === clientId && secret === clientSecret
}

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

const isVerifier = (verifier: string, challenge: string) =>
  createHash('sha256').update(verifier).digest('base64url') === challenge
