import { randomInt, randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { renderPage } from './page.ts'
import { serveApp } from './serve-app.ts'

export interface MetaOptions {
  port?: number
  appId: string
  appSecret: string
  organizationId: string
  /** The only registered redirect URI. */
  redirectUri: string
}

/** A Meta account: `id` is that of the user in the app, `orgScopedId` that in the organisation of the app. */
export interface MetaAccount {
  id: string
  orgScopedId: string
  alias: string
}

export interface RunningMeta {
  ssoUrl: string
  graphUrl: string
  /** Returns the user id and the nonce of a headset, for a form with `alias`. */
  headsetUrl: string
  /** Returns the account with an alias. The same alias always gives the same account. */
  account: (alias: string) => MetaAccount
  /** Returns the fragment with which Meta redirects an account to the redirect URI. */
  issueFragment: (alias: string) => string
  /** Returns a nonce of `Users.GetUserProof()`, valid once. */
  issueNonce: (alias: string) => string
  /** Refuses the token of the next sign-ins this many times, as Meta does for some seconds. */
  refuseTokens: (times: number) => void
  /** Responds to the next call of the Graph API with this status and body. */
  failNext: (status: number, body: string) => void
  stop: () => Promise<void>
}

const codeSeconds = 60

/**
 * Starts a simulated Meta Horizon: the page of account linking, which returns its response in the fragment and has no
 * `state`, and the calls of the Graph API for account linking and for the user proof of a headset.
 */
export async function startMeta(options: MetaOptions): Promise<RunningMeta> {
  const accounts = new Map<string, MetaAccount>()
  const codes = new Map<string, { account: MetaAccount; expiresAt: number }>()
  const tokens = new Map<string, { account: MetaAccount; refusals: number }>()
  const nonces = new Map<string, MetaAccount>()
  let refusals = 0
  let failure: { status: number; body: string } | undefined
  const app = new Hono()

  app.get('/sso/', (c) => rejectInvalidRequest(c) ?? c.html(renderConsentPage(c.req.query())))
  app.post('/sso/', async (c) => {
    const { alias = '', fault } = await c.req.parseBody<{ alias?: string; fault?: string }>()
    const fragment = alias.trim() ? `#${issueFragmentWith(fault, alias.trim())}` : ''
    return rejectInvalidRequest(c) ?? c.redirect(options.redirectUri + fragment, 303)
  })

  // Takes the place of `Users.GetUserProof()` of the Platform SDK on a headset.
  app.post('/headset/proof', async (c) => {
    const { alias = '' } = await c.req.parseBody<{ alias?: string }>()
    return c.json({ userId: findAccount(alias).id, nonce: issueNonce(alias) })
  })

  app.use('/graph/*', async (c, next) => {
    const planned = failure
    failure = undefined
    if (planned) return c.body(planned.body, planned.status as 500)
    await next()
    return undefined
  })
  app.post('/graph/sso_authorize_code', (c) => {
    const { code = '', org_scoped_id: orgScopedId } = c.req.query()
    if (!isApp(c)) return sendError(c, 'Error validating application.', 190)
    const issued = codes.get(code)
    codes.delete(code)
    if (!issued || issued.expiresAt < Date.now() || issued.account.orgScopedId !== orgScopedId)
      return sendError(c, 'Invalid code.', 100)
    const token = randomUUID()
    tokens.set(token, { account: issued.account, refusals })
    refusals = 0
    return c.json({ oauth_token: token, refresh_code: randomUUID() })
  })
  app.get('/graph/me', (c) => {
    const token = tokens.get(c.req.query('access_token') ?? '')
    if (!token) return sendError(c, 'Invalid OAuth access token.', 190)
    if (token.refusals > 0) {
      token.refusals -= 1
      return sendError(c, 'Token not authorized to access this endpoint.', 190)
    }
    const { id, alias } = token.account
    return c.json({ id, alias })
  })
  app.post('/graph/user_nonce_validate', (c) => {
    const { nonce = '', user_id: userId } = c.req.query()
    if (!isApp(c)) return sendError(c, 'Error validating application.', 190)
    const account = nonces.get(nonce)
    nonces.delete(nonce)
    return c.json({ is_valid: account !== undefined && account.id === userId })
  })
  app.get('/graph/:userId', (c) => {
    if (!isApp(c)) return sendError(c, 'Error validating application.', 190)
    const account = [...accounts.values()].find(({ id }) => id === c.req.param('userId'))
    if (!account) return sendError(c, 'Unsupported get request.', 100)
    return c.json({ org_scoped_id: account.orgScopedId, id: account.id })
  })

  const served = await serveApp(app, options.port)
  const url = `http://127.0.0.1:${served.port}`
  return {
    ssoUrl: `${url}/sso/`,
    graphUrl: `${url}/graph/`,
    headsetUrl: `${url}/headset/proof`,
    account: findAccount,
    issueFragment,
    issueNonce,
    refuseTokens: (times) => {
      refusals = times
    },
    failNext: (status, body) => {
      failure = { status, body }
    },
    stop: served.stop,
  }

  function findAccount(alias: string): MetaAccount {
    const known = accounts.get(alias)
    if (known) return known
    const account = { id: randomId(), orgScopedId: randomId(), alias }
    accounts.set(alias, account)
    return account
  }

  function issueNonce(alias: string): string {
    const nonce = randomUUID()
    nonces.set(nonce, findAccount(alias))
    return nonce
  }

  function issueFragment(alias: string): string {
    const account = findAccount(alias)
    const code = randomUUID()
    codes.set(code, { account, expiresAt: Date.now() + codeSeconds * 1000 })
    return Buffer.from(JSON.stringify({ code, org_scoped_id: account.orgScopedId })).toString('base64')
  }

  /** Returns the fragment of a response with a behaviour of `behaviours`. */
  function issueFragmentWith(fault: string | undefined, alias: string): string {
    if (fault === 'unreadable') return 'unreadable'
    const fragment = issueFragment(alias)
    // The tokens of the next response are refused twice, for 3.5 s, or longer than Passport waits.
    if (fault === 'slow' || fault === 'never') refusals = fault === 'slow' ? 2 : 5
    if (fault === 'refused') codes.clear()
    if (fault === 'unavailable') failure = { status: 500, body: 'Sorry' }
    return fragment
  }

  function isApp(c: Context): boolean {
    return c.req.query('access_token') === `OC|${options.appId}|${options.appSecret}`
  }

  /** Returns the error for a request that does not match the registration; undefined for a valid one. */
  function rejectInvalidRequest(c: Context): Response | undefined {
    const { redirect_uri: redirectUri, organization_id: organizationId } = c.req.query()
    const isValid = redirectUri === options.redirectUri && organizationId === options.organizationId
    return isValid ? undefined : new Response('Invalid redirect_uri or organization_id.', { status: 400 })
  }
}

const randomId = () => String(randomInt(10 ** 13, 10 ** 14))

/** Sends an error of the Graph API. */
const sendError = (c: Context, message: string, code: number) =>
  c.json({ error: { message, type: 'OAuthException', code, fbtrace_id: randomUUID().slice(0, 11) } }, 400)

/** How Meta behaves after a consent, by the value of the form. */
const behaviours = {
  '': 'Works',
  slow: 'The token is not authorized for some seconds',
  never: 'The token is never authorized',
  refused: 'The code is refused',
  unavailable: 'The Graph API fails',
  unreadable: 'The fragment cannot be read',
}

function renderConsentPage(query: Record<string, string>) {
  const action = `/sso/?${new URLSearchParams(query)}`
  return renderPage(
    'Meta Horizon',
    html`<h1>Meta Horizon</h1>
<p>This simulates Meta’s account linking. No passwords are needed.</p>
<form method="post" action="${action}">
<label>Continue as <input name="alias" value="NightOwl42" required autocapitalize="off" spellcheck="false"></label>
<label>Behaviour of Meta Horizon <select name="fault">${Object.entries(behaviours).map(
      ([value, text]) => html`<option value="${value}">${text}</option>`,
    )}</select></label>
<button>Continue</button>
</form>
<form method="post" action="${action}"><button name="alias" value="">Cancel</button></form>`,
  )
}
