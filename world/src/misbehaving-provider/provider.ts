import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { serveApp } from '../serve-app.ts'
import { createKeys } from './keys.ts'
import { renderCheckSessionPage, renderSignInPage } from './pages.ts'
import { type Behaviour, createFaultlessScript, type Script } from './script.ts'
import { createTokens, type Grant } from './tokens.ts'

/** One request as received. */
export interface RecordedRequest {
  method: string
  path: string
  query: Record<string, string>
  form: Record<string, string>
  headers: Record<string, string>
}

export interface MisbehavingProvider {
  issuer: string
  /** The current behaviour; may be changed at any time. */
  script: Script
  /** Returns the requests since the start or the last reset, optionally of one path. */
  requests: (path?: string) => RecordedRequest[]
  /** Restores the faultless script, and deletes all grants and recorded requests. */
  reset: () => void
  stop: () => Promise<void>
}

/**
 * Starts an OpenID Provider, “Shoal”, on 127.0.0.1 and a free port, for tests. It supports code and id_token flows with
 * PKCE, refresh with rotation, DPoP, revocation, end session and session check. It accepts every client and user, and
 * misbehaves as its `script` defines. It does not keep the process alive.
 */
export async function startMisbehavingProvider(): Promise<MisbehavingProvider> {
  const keys = await createKeys()
  const recorded: RecordedRequest[] = []
  const app = new Hono()
  const provider = { issuer: '', script: createFaultlessScript() }
  const tokens = createTokens(keys, provider)

  app.use(cors({ origin: '*', allowHeaders: ['authorization', 'dpop', 'content-type'], exposeHeaders: ['dpop-nonce'] }))
  app.use(async (c, next) => {
    const form = c.req.method === 'POST' ? await c.req.parseBody() : {}
    recorded.push({
      method: c.req.method,
      path: c.req.path,
      query: c.req.query(),
      form: form as Record<string, string>,
      headers: c.req.header(),
    })
    await next()
    if (provider.script.isolatesOpener) c.header('cross-origin-opener-policy', 'same-origin')
  })

  app.get('/.well-known/openid-configuration', (c) =>
    applyBehaviour(c, provider.script.discovery, () =>
      c.json(omitUndefined({ ...createMetadata(), ...provider.script.metadata })),
    ),
  )
  app.get('/jwks', (c) =>
    applyBehaviour(c, provider.script.jwks, () => c.json({ keys: keys.listPublished(provider.script) })),
  )
  app.get('/authorize', (c) => handleAuthorization(c))
  app.post('/token', (c) => handleToken(c))
  app.get('/userinfo', (c) => applyBehaviour(c, provider.script.userInfo, () => tokens.handleUserInfo(c)))
  app.post('/revoke', (c) => applyBehaviour(c, provider.script.revocation, () => c.body(null, 200)))
  app.on(['GET', 'POST'], '/endsession', async (c) => {
    const endSessionParameters = c.req.method === 'POST' ? await c.req.parseBody() : c.req.query()
    const { post_logout_redirect_uri: returnUrl, state } = endSessionParameters as Record<string, string>
    provider.script.session = undefined
    return returnUrl ? c.redirect(withQuery(returnUrl, { state }), 303) : c.text('Signed out of Shoal')
  })
  app.get('/checksession', (c) => c.html(renderCheckSessionPage()))
  app.get('/session-result', (c) => {
    const { sessionCheck, session, anonymousSessionState } = provider.script
    const isSame = c.req.query('message')?.split(' ')[1] === (session?.state ?? anonymousSessionState)
    return c.text(sessionCheck === 'honest' ? (isSame ? 'unchanged' : 'changed') : sessionCheck)
  })

  const { server, port, stop } = await serveApp(app)
  server.unref()
  provider.issuer = `http://127.0.0.1:${port}`
  return Object.assign(provider, {
    requests: (path?: string) => recorded.filter((request) => path === undefined || request.path === path),
    reset: () => {
      provider.script = createFaultlessScript()
      recorded.length = 0
      tokens.clear()
    },
    stop,
  })

  function createMetadata() {
    const endpointUrl = (path: string) => `${provider.issuer}${path}`
    return {
      issuer: provider.issuer,
      authorization_endpoint: endpointUrl('/authorize'),
      token_endpoint: endpointUrl('/token'),
      userinfo_endpoint: endpointUrl('/userinfo'),
      revocation_endpoint: endpointUrl('/revoke'),
      end_session_endpoint: endpointUrl('/endsession'),
      check_session_iframe: endpointUrl('/checksession'),
      jwks_uri: endpointUrl('/jwks'),
      response_types_supported: ['code', 'id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  /** Sends the authorization response (OpenID Connect Core, sections 3.1.2.5 and 3.2.2.5). */
  function handleAuthorization(c: Context): Response | Promise<Response> {
    const { script } = provider
    const { decision, ...query } = c.req.query()
    if (script.authorization === 'ask' && query['prompt'] !== 'none' && !decision)
      return c.html(renderSignInPage(query))
    if (decision === 'no')
      return redirectWith(c, query, { error: 'access_denied', error_description: 'The user denied the request.' })
    if (script.authorization === 'ask' || script.authorization === 'respond') return respondWithCode(c, query)
    if (typeof script.authorization === 'string') return applyBehaviour(c, script.authorization, () => c.body(null))
    const { error, error_description } = script.authorization
    return redirectWith(c, query, { error, error_description })
  }

  async function respondWithCode(c: Context, query: Record<string, string>) {
    const { session, anonymousSessionState } = provider.script
    if (query['prompt'] === 'none' && !session) {
      return redirectWith(c, query, { error: 'login_required', session_state: anonymousSessionState })
    }
    provider.script.session ??= { sub: 'ada', sid: `session-${randomUUID()}`, state: `state-${randomUUID()}` }
    const grant: Grant = { query, session: provider.script.session }
    const parameters = { session_state: grant.session.state }
    return query['response_type'] === 'id_token'
      ? redirectWith(c, query, { ...parameters, id_token: await tokens.issueIdToken(grant) })
      : redirectWith(c, query, { ...parameters, code: tokens.issueCode(grant) })
  }

  function redirectWith(c: Context, query: Record<string, string>, response: Record<string, string | undefined>) {
    const { redirect_uri: returnUrl = '', state } = query
    const isFragment = query['response_mode'] === 'fragment' || query['response_type'] === 'id_token'
    const parameters = omitUndefined({
      ...response,
      state,
      iss: provider.issuer,
      ...provider.script.authorizationResponse,
    })
    return c.redirect(
      isFragment ? `${returnUrl}#${new URLSearchParams(parameters)}` : withQuery(returnUrl, parameters),
      303,
    )
  }

  function handleToken(c: Context): Response | Promise<Response> {
    const { token } = provider.script
    if (token === 'empty') return c.body('', 200, { 'content-type': 'application/json' })
    if (token === 'null') return c.json(null)
    if (token === 'html') return c.html('<h1>Bad Gateway</h1>')
    return applyBehaviour(c, token, () => tokens.handleToken(c))
  }
}

/** Runs `respond`, or the script's fault instead. */
function applyBehaviour(
  c: Context,
  behaviour: Behaviour,
  respond: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (behaviour === 'respond') return respond()
  if (behaviour === 'hang') return new Promise(() => {})
  if (behaviour === 'close') {
    c.env.incoming.socket.destroy()
    return c.body(null)
  }
  const { status = 400, ...error } = behaviour
  return Response.json(error, { status })
}

function withQuery(url: string, parameters: Record<string, string | undefined>): string {
  const result = new URL(url)
  for (const [name, value] of Object.entries(omitUndefined(parameters))) result.searchParams.set(name, value)
  return result.href
}

/** Removes undefined values. */
function omitUndefined<T>(values: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, T>
}
