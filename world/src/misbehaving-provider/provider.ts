import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { createKeys } from './keys.ts'
import { checkSessionPage, signInPage } from './pages.ts'
import { type Manner, type Script, wellBehaved } from './script.ts'
import { createTokens, type IssuedFor } from './tokens.ts'

/** One request as it came. */
export interface SeenRequest {
  method: string
  path: string
  query: Record<string, string>
  form: Record<string, string>
  headers: Record<string, string>
}

export interface MisbehavingProvider {
  issuer: string
  /** What it does from now on; may be changed at any time. */
  script: Script
  /** What it was asked since it was started or reset; for the path, where one is given. */
  requests: (path?: string) => SeenRequest[]
  /** Behaves well again, and forgets who signed in. */
  reset: () => void
  stop: () => Promise<void>
}

/**
 * An OpenID Provider, “Shoal”, on 127.0.0.1 and a free port, for tests: it speaks code and id_token flows with PKCE,
 * refresh with rotation, DPoP, revocation, end session and session check, takes every client and every person's word, and
 * goes wrong as its `script` says. It does not keep the process alive.
 */
export async function startMisbehavingProvider(): Promise<MisbehavingProvider> {
  const keys = await createKeys()
  const seen: SeenRequest[] = []
  const app = new Hono()
  const provider = { issuer: '', script: wellBehaved() }
  const tokens = createTokens(keys, provider)

  app.use(cors({ origin: '*', allowHeaders: ['authorization', 'dpop', 'content-type'], exposeHeaders: ['dpop-nonce'] }))
  app.use(async (c, next) => {
    const form = c.req.method === 'POST' ? await c.req.parseBody() : {}
    seen.push({
      method: c.req.method,
      path: c.req.path,
      query: c.req.query(),
      form: form as Record<string, string>,
      headers: c.req.header(),
    })
    await next()
    if (provider.script.isIsolated) c.header('cross-origin-opener-policy', 'same-origin')
  })

  app.get('/.well-known/openid-configuration', (c) =>
    inManner(c, provider.script.discovery, () => c.json(told({ ...metadata(), ...provider.script.metadata }))),
  )
  app.get('/jwks', (c) => inManner(c, provider.script.keys, () => c.json({ keys: keys.published(provider.script) })))
  app.get('/authorize', (c) => answerAuthorization(c))
  app.post('/token', (c) => answerToken(c))
  app.get('/userinfo', (c) => inManner(c, provider.script.userInfo, () => tokens.userInfo(c)))
  app.post('/revoke', (c) => inManner(c, provider.script.revocation, () => c.body(null, 200)))
  app.on(['GET', 'POST'], '/endsession', async (c) => {
    const asked = c.req.method === 'POST' ? await c.req.parseBody() : c.req.query()
    const { post_logout_redirect_uri: back, state } = asked as Record<string, string>
    provider.script.session = undefined
    return back ? c.redirect(withQuery(back, { state }), 303) : c.text('Signed out of Shoal')
  })
  app.get('/checksession', (c) => c.html(checkSessionPage()))
  app.get('/session-answer', (c) => {
    const { sessionCheck, session, sessionStateOfNobody } = provider.script
    const isSame = c.req.query('message')?.split(' ')[1] === (session?.state ?? sessionStateOfNobody)
    return c.text(sessionCheck === 'honest' ? (isSame ? 'unchanged' : 'changed') : sessionCheck)
  })

  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
  await new Promise<void>((resolve) => server.once('listening', () => resolve()))
  server.unref()
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(provider, {
    requests: (path?: string) => seen.filter((request) => path === undefined || request.path === path),
    reset: () => {
      provider.script = wellBehaved()
      seen.length = 0
      tokens.forget()
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  })

  function metadata() {
    const at = (path: string) => `${provider.issuer}${path}`
    return {
      issuer: provider.issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      userinfo_endpoint: at('/userinfo'),
      revocation_endpoint: at('/revoke'),
      end_session_endpoint: at('/endsession'),
      check_session_iframe: at('/checksession'),
      jwks_uri: at('/jwks'),
      response_types_supported: ['code', 'id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  /** The authorization response (OpenID Connect Core, sections 3.1.2.5 and 3.2.2.5). */
  function answerAuthorization(c: Context): Response | Promise<Response> {
    const { script } = provider
    const { answer, ...query } = c.req.query()
    if (script.authorization === 'ask' && query['prompt'] !== 'none' && !answer) return c.html(signInPage(query))
    if (answer === 'no') return say(c, query, { error: 'access_denied', error_description: 'The person said no.' })
    if (script.authorization === 'ask' || script.authorization === 'answer') return answerWithCode(c, query)
    if (typeof script.authorization === 'string') return inManner(c, script.authorization, () => c.body(null))
    const { error, error_description } = script.authorization
    return say(c, query, { error, error_description })
  }

  async function answerWithCode(c: Context, query: Record<string, string>) {
    const { session, sessionStateOfNobody } = provider.script
    if (query['prompt'] === 'none' && !session) {
      return say(c, query, { error: 'login_required', session_state: sessionStateOfNobody })
    }
    provider.script.session ??= { sub: 'ada', sid: `session-${randomUUID()}`, state: `state-${randomUUID()}` }
    const grant: IssuedFor = { query, session: provider.script.session }
    const answer = { session_state: grant.session.state }
    return query['response_type'] === 'id_token'
      ? say(c, query, { ...answer, id_token: await tokens.idToken(grant) })
      : say(c, query, { ...answer, code: tokens.codeFor(grant) })
  }

  function say(c: Context, query: Record<string, string>, answer: Record<string, string | undefined>) {
    const { redirect_uri: back = '', state } = query
    const isFragment = query['response_mode'] === 'fragment' || query['response_type'] === 'id_token'
    const parameters = told({ ...answer, state, iss: provider.issuer, ...provider.script.response })
    return c.redirect(isFragment ? `${back}#${new URLSearchParams(parameters)}` : withQuery(back, parameters), 303)
  }

  function answerToken(c: Context): Response | Promise<Response> {
    const { token } = provider.script
    if (token === 'empty') return c.body('', 200, { 'content-type': 'application/json' })
    if (token === 'null') return c.json(null)
    if (token === 'html') return c.html('<h1>Bad Gateway</h1>')
    return inManner(c, token, () => tokens.answer(c))
  }
}

/** Runs `answer`, or does what the script says instead. */
function inManner(
  c: Context,
  manner: Manner,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (manner === 'answer') return answer()
  if (manner === 'hang') return new Promise(() => {})
  if (manner === 'close') {
    c.env.incoming.socket.destroy()
    return c.body(null)
  }
  const { status = 400, ...error } = manner
  return Response.json(error, { status })
}

function withQuery(address: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(told(parameters))) url.searchParams.set(name, value)
  return url.href
}

/** Without what is undefined. */
function told<T>(values: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, T>
}
