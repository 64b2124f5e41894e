import { createHash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Fault, isFault } from './faults.ts'
import { signInPage } from './pages.ts'
import { type Person, people, personNamed } from './people.ts'

export interface OidcProviderOptions {
  port?: number
  clientId: string
  clientSecret: string
  /** Where it may send people back to: the part of the address before its query. */
  redirectUri: string
}

/** An access token for somebody's API, as a JWT (RFC 9068). */
export interface ApiToken {
  audience: string
  scope: string
  [claim: string]: unknown
}

export interface RunningProvider {
  issuer: string
  /** Issues a token for an API to a person, without asking anyone. */
  issueFor: (name: string, token: ApiToken) => Promise<string>
  stop: () => Promise<void>
}

interface Grant {
  person: Person
  fault: Fault
  nonce: string | undefined
  codeChallenge: string
  authTime: number
  expiresAt: number
}

const kid = 'harbour-1'
const now = () => Math.floor(Date.now() / 1000)

/**
 * A plain OpenID Provider of another company, “Harbour ID”: authorization code with PKCE, RS256, a list of people and no
 * passwords. Whoever signs in may tell it to go wrong (`faults`).
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<RunningProvider> {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const unpublished = await generateKeyPair('RS256')
  const published = { ...(await exportJWK(keys.publicKey)), kid, alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, Person>()
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
  app.get('/authorize', (c) => refusalOf(c.req.query(), options) ?? c.html(signInPage(c.req.query(), people)))
  app.post('/authorize', async (c) => {
    const form = Object.fromEntries(
      Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]),
    )
    return refusalOf(form, options) ?? c.redirect(answerTo(form), 303)
  })
  app.post('/token', (c) => answerToken(c))
  app.get('/userinfo', (c) => {
    const person = accessTokens.get(/^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '')
    return person ? c.json(person) : c.json({ error: 'invalid_token' }, 401)
  })
  app.get('/endsession', (c) => c.redirect(c.req.query('post_logout_redirect_uri') ?? '/', 303))

  const server = serve({
    fetch: app.fetch,
    port: options.port ?? 0,
    hostname: '127.0.0.1',
    overrideGlobalObjects: false,
  })
  await new Promise<void>((resolve) => server.once('listening', () => resolve()))
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    issueFor: (name, { audience, ...claims }) =>
      new SignJWT({ sub: personNamed(name).sub, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(keys.privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }

  /** The authorization response (RFC 6749, section 4.1.2; RFC 9207 for `iss`). */
  function answerTo(form: Record<string, string>): string {
    const fault = isFault(form['fault']) ? form['fault'] : 'none'
    const target = new URL(form['redirect_uri'] ?? '')
    const say = (parameters: Record<string, string>) => {
      for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
      return target.href
    }
    const state = fault === 'wrong-state' ? 'another-state' : (form['state'] ?? '')
    const iss = fault === 'wrong-answer-issuer' ? 'https://elsewhere.example' : issuer
    if (fault === 'cancel') return say({ error: 'access_denied', error_description: 'The person said no.', state, iss })
    if (fault === 'server-error') return say({ error: 'server_error', state, iss })
    const code = randomUUID()
    grants.set(code, {
      person: personNamed(form['name'] ?? ''),
      fault,
      nonce: form['nonce'],
      codeChallenge: form['code_challenge'] ?? '',
      authTime: now(),
      expiresAt: now() + 60,
    })
    return say({ code, state, iss })
  }

  /** The token response (RFC 6749, section 4.1.4) with an ID token (OpenID Connect Core, section 3.1.3.3). */
  async function answerToken(c: Context) {
    const form = await c.req.parseBody()
    const code = String(form['code'])
    const grant = grants.get(code)
    grants.delete(code)
    if (grant?.fault === 'no-token-endpoint') {
      c.env.incoming.socket.destroy()
      return c.body(null)
    }
    if (!isClient(c.req.header('authorization'), form, options) || grant?.fault === 'wrong-client') {
      return c.json({ error: 'invalid_client' }, 401)
    }
    const isRight = grant && grant.expiresAt > now() && isVerifier(String(form['code_verifier']), grant.codeChallenge)
    if (!isRight || grant.fault === 'spent-code')
      return c.json({ error: 'invalid_grant', error_description: 'The code was used.' }, 400)
    const accessToken = randomUUID()
    accessTokens.set(accessToken, grant.person)
    return c.json({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      id_token: await idTokenFor(grant),
    })
  }

  function idTokenFor({ person, fault, nonce, authTime }: Grant) {
    const moved = fault === 'expired' ? -2 * 3600 : fault === 'future' ? 3600 : 0
    const issuedAt = now() + moved
    const claims = {
      ...person,
      ...(nonce !== undefined && { nonce: fault === 'wrong-nonce' ? 'another-nonce' : nonce }),
      ...(fault !== 'no-auth-time' && { auth_time: fault === 'stale' ? authTime - 3600 : authTime + moved }),
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

/** What cannot be sent back, because it is not known to whom. */
function refusalOf(
  query: Record<string, string>,
  { clientId, redirectUri }: OidcProviderOptions,
): Response | undefined {
  const isOurs = query['client_id'] === clientId && query['redirect_uri'] === redirectUri
  const isCode = query['response_type'] === 'code' && query['code_challenge_method'] === 'S256'
  return isOurs && isCode
    ? undefined
    : new Response('This request is not from a client that is known here.', { status: 400 })
}

/** client_secret_basic or client_secret_post. */
function isClient(
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
