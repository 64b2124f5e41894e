import { createHash, randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { serveApp } from '../serve-app.ts'
import { isAuthenticated } from './client-authentication.ts'
import { type Fault, isFault } from './faults.ts'
import { type Habits, usualHabits } from './habits.ts'
import { renderSignInPage } from './pages.ts'
import { createSigner } from './signing.ts'
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
  /** Replaces the usual habits; they can be changed while the provider runs. */
  habits?: Partial<Habits>
}

/** An access token for an API, as a JWT (RFC 9068). */
export interface ApiToken {
  audience: string
  scope: string
  [claim: string]: unknown
}

export interface RunningProvider {
  issuer: string
  habits: Habits
  /** Signs with a new key from now on, and publishes no other. */
  rotateKey: () => Promise<void>
  /** Returns how often an endpoint was requested, by its path. */
  countRequests: (path: string) => number
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

const now = () => Math.floor(Date.now() / 1000)

/**
 * Starts a simulated OpenID Provider: authorization code with PKCE, a list of users and no passwords. A fault can be chosen
 * at sign-in (`faults`).
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<RunningProvider> {
  const habits: Habits = { ...usualHabits, ...options.habits }
  const signer = await createSigner(habits)
  const requests = new Map<string, number>()
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, ProviderUser>()
  const app = new Hono()
  let issuer = ''

  app.use((c, next) => {
    requests.set(c.req.path, (requests.get(c.req.path) ?? 0) + 1)
    return next()
  })
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
      id_token_signing_alg_values_supported: ['none', 'RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'],
      scopes_supported: habits.scopes,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: habits.sendsIssuer,
      ...(habits.authMethods && { token_endpoint_auth_methods_supported: habits.authMethods }),
      ...(habits.prompts && { prompt_values_supported: habits.prompts }),
    }),
  )
  app.get('/jwks', async (c) => c.json({ keys: await signer.listPublished() }))
  const users = options.people?.map(createUser) ?? initialUsers
  app.get('/authorize', (c) => {
    const query = c.req.query()
    const rejection = rejectInvalidRequest(query, options)
    if (rejection) return rejection
    const error = findRequestError(query, habits)
    if (error) return c.redirect(buildResponse(query, { error, state: query['state'] ?? '' }), 303)
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
  app.get('/userinfo', (c) => handleUserInfo(c))
  app.on(['GET', 'POST'], '/endsession', async (c) => {
    const parameters = c.req.method === 'POST' ? await c.req.parseBody() : c.req.query()
    const returnUrl = String(parameters['post_logout_redirect_uri'] ?? '')
    const isRegistered = habits.postLogoutRedirectUris?.includes(returnUrl) ?? true
    if (returnUrl !== '' && !isRegistered) return c.text('The address to return to is not registered.', 400)
    return returnUrl === '' ? c.text('You are signed out.') : c.redirect(returnUrl, 303)
  })

  const served = await serveApp(app, options.port)
  issuer = `http://localhost:${served.port}`
  return {
    issuer,
    habits,
    rotateKey: signer.rotate,
    countRequests: (path) => requests.get(path) ?? 0,
    issueToken: (name, { audience, ...claims }) => {
      const times = { iat: now(), exp: now() + 300 }
      return signer.sign(
        { sub: createUser(name).sub, ...claims, iss: issuer, aud: audience, ...times },
        { type: 'at+jwt' },
      )
    },
    stop: served.stop,
  }

  /** Builds the URL of an authorization response (RFC 6749, section 4.1.2; RFC 9207 for `iss`). */
  function buildResponse(form: Record<string, string>, parameters: Record<string, string>): string {
    const target = new URL(form['redirect_uri'] ?? '')
    const all = { ...(habits.sendsIssuer && { iss: issuer }), ...parameters }
    for (const [name, value] of Object.entries(all)) target.searchParams.set(name, value)
    return target.href
  }

  function buildRedirect(form: Record<string, string>): string {
    const fault = isFault(form['fault']) ? form['fault'] : 'none'
    const redirectWith = (parameters: Record<string, string>) => buildResponse(form, parameters)
    const state = fault === 'wrong-state' ? 'another-state' : (form['state'] ?? '')
    const iss = fault === 'wrong-response-issuer' ? { iss: 'https://elsewhere.example' } : {}
    if (fault === 'cancel')
      return redirectWith({ error: 'access_denied', error_description: 'The user denied the request.', state, ...iss })
    if (fault === 'server-error') return redirectWith({ error: 'server_error', state, ...iss })
    const code = randomUUID()
    grants.set(code, {
      user: createUser(form['name'] ?? ''),
      fault,
      nonce: form['nonce'],
      codeChallenge: form['code_challenge'] ?? '',
      authTime: now(),
      expiresAt: now() + 60,
    })
    return redirectWith({ code, state, ...iss })
  }

  /** Sends the token response (RFC 6749, section 4.1.4) with an ID token (OpenID Connect Core, section 3.1.3.3). */
  async function handleToken(c: Context) {
    const form = await c.req.parseBody()
    const code = String(form['code'])
    const grant = grants.get(code)
    if (grant?.fault === 'no-token-endpoint') {
      c.env.incoming.socket.destroy()
      return c.body(null)
    }
    const registration = { ...options, issuer }
    const isClient = await isAuthenticated(c.req.header('authorization'), form, registration, habits)
    if (!isClient || grant?.fault === 'wrong-client') {
      return c.json({ error: 'invalid_client' }, 401)
    }
    grants.delete(code)
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
      ...(habits.claimsAt === 'id-token' && describeUser(user)),
      sub: habits.claims['sub'] ?? user.sub,
      ...options.authentication,
      ...(habits.paddingLength > 0 && { padding: 'x'.repeat(habits.paddingLength) }),
      ...(fault === 'unstorable-claim' && { nickname: 'a\0b' }),
      ...(nonce !== undefined && { nonce: fault === 'wrong-nonce' ? 'another-nonce' : nonce }),
      ...(sendsAuthTime && { auth_time: fault === 'stale' ? authTime - 3600 : authTime + clockOffset }),
      iss: fault === 'wrong-token-issuer' ? 'https://elsewhere.example' : issuer,
      aud: fault === 'wrong-audience' ? 'another-client' : options.clientId,
      ...(fault !== 'missing-issued-at' && { iat: issuedAt }),
      exp: issuedAt + 3600,
    }
    const { sub: _subject, ...anonymous } = claims
    const form = fault === 'forged-signature' ? 'forged' : fault === 'unsigned' ? 'unsigned' : 'valid'
    return signer.sign(fault === 'missing-subject' ? anonymous : claims, { form })
  }

  function describeUser(user: ProviderUser): Record<string, unknown> {
    const verified = habits.verifiedForm === 'text' ? String(user.email_verified) : user.email_verified
    return { ...user, email_verified: verified, ...habits.claims }
  }

  /** Sends user info: JSON, or a signed JWT (OpenID Connect Core, section 5.3.2). */
  async function handleUserInfo(c: Context) {
    const user = accessTokens.get(/^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '')
    if (!user) return c.json({ error: 'invalid_token' }, 401)
    if (habits.userInfo === 'refused') return c.json({ error: 'insufficient_scope' }, 403)
    if (habits.userInfo === 'failing') return c.text('Bad Gateway', 502)
    const claims = { ...describeUser(user), ...(habits.userInfo === 'other-subject' && { sub: 'someone-else' }) }
    const isSigned = habits.userInfo === 'signed' || habits.userInfo === 'forged'
    if (!isSigned) return c.json(claims)
    const jwt = await signer.sign(
      { ...claims, iss: issuer, aud: options.clientId },
      { form: habits.userInfo === 'forged' ? 'forged' : 'valid' },
    )
    return c.body(jwt, 200, { 'content-type': 'application/jwt' })
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

/** Returns the error of a request that the provider's habits do not allow; undefined if they do. */
function findRequestError(query: Record<string, string>, habits: Habits): string | undefined {
  const { prompt } = query
  if (prompt && habits.refusesPrompts && !habits.prompts?.includes(prompt)) return habits.refusesPrompts
  const isKnown = (scope: string) => habits.scopes.includes(scope)
  return habits.refusesScopes && !query['scope']?.split(' ').every(isKnown) ? 'invalid_scope' : undefined
}

const isVerifier = (verifier: string, challenge: string) =>
  createHash('sha256').update(verifier).digest('base64url') === challenge
