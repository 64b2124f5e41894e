import * as accountsApi from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { type Habits, unusualHabits } from '@passport/world/oidc-provider/habits'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'

// Each way in which a provider may differ, with a whole sign-in.

interface Setup {
  habits: Partial<Habits>
  /** Its settings in the configuration. */
  settings?: Record<string, unknown>
  omitsAuthTime?: true
}

/** The providers, by their id. */
const providers: Record<string, Setup> = {
  usual: { habits: {} },
  unusual: { habits: unusualHabits },
  'claims-at-user-info': { habits: { claimsAt: 'user-info' } },
  'signed-user-info': { habits: { claimsAt: 'user-info', userInfo: 'signed' } },
  'secret-in-the-form-only': { habits: { authMethods: ['client_secret_post'] } },
  'secret-signs-a-jwt': { habits: { authMethods: ['client_secret_jwt'] } },
  'basic-only': { habits: { authMethods: ['client_secret_basic'] } },
  'raw-basic': {
    habits: { authMethods: ['client_secret_basic'], comparesRaw: true },
    settings: { tokenEndpointAuthMethod: 'client_secret_basic_raw' },
  },
  'wrong-metadata': {
    habits: { authMethods: ['client_secret_post'] },
    settings: { tokenEndpointAuthMethod: 'client_secret_basic' },
  },
  'verified-as-text': { habits: { verifiedForm: 'text' } },
  es256: { habits: { signingAlg: 'ES256' } },
  ps256: { habits: { signingAlg: 'PS256' } },
  eddsa: { habits: { signingAlg: 'EdDSA' } },
  ed25519: { habits: { signingAlg: 'Ed25519' } },
  'no-key-ids': { habits: { hasKeyIds: false } },
  'spare-key': { habits: { hasSpareKey: true } },
  'ambiguous-keys': { habits: { hasKeyIds: false, hasSpareKey: true } },
  'long-tokens': { habits: { paddingLength: 60_000, postLogoutRedirectUris: [] } },
  'no-issuer-in-responses': { habits: { sendsIssuer: false } },
  'few-scopes': { habits: { scopes: ['openid', 'email'], refusesScopes: true } },
  'announced-prompts': { habits: { prompts: ['none', 'login', 'consent'], refusesPrompts: 'invalid_request' } },
  'unannounced-prompts': { habits: { refusesPrompts: 'account_selection_required' } },
  'no-sign-out-address': { habits: { postLogoutRedirectUris: [] }, settings: { postLogoutRedirect: false } },
  'no-forced-sign-in': {
    habits: { prompts: ['select_account'] },
    settings: { freshness: 'prompt' },
    omitsAuthTime: true,
  },
  'user-info-refused': { habits: { userInfo: 'refused' } },
}

const running = new Map<string, RunningProvider>()
let service: TestService

beforeAll(async () => {
  const port = await findFreePort()
  const publicUrl = `http://localhost:${port}`
  const client = { clientId: 'passport_at-lantern', clientSecret: 'a secret+with/signs=that Basic encodes: ü' }
  const configured = Object.entries(providers).map(async ([id, { settings, ...options }]) => {
    const redirectUri = `${publicUrl}/login/callback/${id}`
    const provider = await startOidcProvider({ ...client, name: 'Lantern', redirectUri, ...options })
    onFileEnd(provider.stop)
    running.set(id, provider)
    const { issuer } = provider
    return { id, kind: 'oidc', name: 'Lantern', issuer, ...client, signUp: 'open', trustEmail: true, ...settings }
  })
  const local = { id: 'local', kind: 'local', name: 'Passport' }
  service = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([local, ...(await Promise.all(configured))]),
  })
})

const openBrowser = () => createTestBrowser(service.url)
const callOf = (browser: TestBrowser) => createBrowserCall(service.url, browser)

function findProvider(id: string): RunningProvider {
  const provider = running.get(id)
  if (!provider) throw new Error(`There is no provider ${id}`)
  return provider
}

let people = 0

/** Signs a new person in at a provider. Returns the page, the account, and the account that is expected. */
async function signIn(id: string, { browser = openBrowser(), query = '' } = {}) {
  const name = `Lena Lantern ${++people}`
  const page = await browser.submit(await browser.open(`/login?idp=${id}${query}`), { name, fault: 'none' })
  const handle = `lena.lantern.${people}`
  const [account] = await service.sql`
    select display_name, username, email, email_verified from users
    where id in (select user_id from logins where provider_id = ${id} and subject = ${`person-${handle}`})`
  const expected = { displayName: name, username: handle, email: `${handle}@harbour.example`, emailVerified: true }
  return { browser, page, account, expected }
}

const signedIn = expect.stringContaining('/app/login?returnUrl=')

const refused = ['wrong-metadata', 'ambiguous-keys']
test.for(Object.keys(providers).filter((id) => !refused.includes(id)))(
  'a user signs in at the provider %s, with name, username and a verified email',
  async (id) => {
    const { page, account, expected } = await signIn(id)
    expect(page.url).toEqual(signedIn)
    expect(account).toEqual(expected)
  },
)

test('a setting replaces the client authentication that the metadata would give', async () => {
  const { page } = await signIn('wrong-metadata')
  expect(page.text).toContain('is not configured correctly')
})

test('a provider that changes the client authentication has its metadata read again', async () => {
  await signIn('basic-only')
  findProvider('basic-only').habits.authMethods = ['client_secret_post']
  const { page } = await signIn('basic-only')
  findProvider('basic-only').habits.authMethods = ['client_secret_basic']
  expect(page.url).toEqual(signedIn)
})

test('of several keys without ids none verifies an ID token (OpenID Connect Core, section 10.1)', async () => {
  const { page, account } = await signIn('ambiguous-keys')
  expect([page.text, account]).toEqual([expect.stringContaining('The response of Lantern is invalid'), undefined])
})

describe('user info', () => {
  test('is read only if the ID token lacks claims', async () => {
    await signIn('usual')
    expect(findProvider('usual').countRequests('/userinfo')).toBe(0)
  })

  test.for<[Habits['userInfo'], number, string]>([
    ['other-subject', 502, 'The response of Lantern is invalid'],
    ['forged', 502, 'The response of Lantern is invalid'],
    ['failing', 502, 'Lantern is not responding'],
  ])('that is %s fails the sign-in, and creates no account', async ([userInfo, status, title]) => {
    const { habits } = findProvider('claims-at-user-info')
    habits.userInfo = userInfo
    const { page, account } = await signIn('claims-at-user-info')
    habits.userInfo = 'json'
    expect([page.status, page.text, account]).toEqual([status, expect.stringContaining(title), undefined])
  })

  test('that fails keeps nobody out of whom only the username is missing', async () => {
    const { habits } = findProvider('usual')
    Object.assign(habits, { claims: { preferred_username: undefined }, userInfo: 'failing' })
    const { page, account, expected } = await signIn('usual')
    expect([page.url, account]).toEqual([signedIn, { ...expected, username: null }])
    habits.claims = { email_verified: undefined }
    const unstated = await signIn('usual')
    expect([unstated.page.text, unstated.account]).toEqual([expect.stringContaining('is not responding'), undefined])
    Object.assign(habits, { claims: {}, userInfo: 'json' })
  })

  test('that is refused leaves what the ID token has', async () => {
    findProvider('user-info-refused').habits.claims = { preferred_username: undefined }
    const { page, account, expected } = await signIn('user-info-refused')
    expect(page.url).toEqual(signedIn)
    expect(account).toEqual({ ...expected, username: null })
  })
})

test('the trace of a sign-in names user info, and a request that was sent again', async () => {
  const listSteps = async (id: string, query = '') => {
    await signIn(id, { query })
    await service.services.traces.flush()
    const rows = await service.sql<{ result: string; steps: { name: string; isFailed: boolean; detail: unknown }[] }[]>`
      select result, steps from sign_in_traces where provider = ${id} and kind = 'callback' order by at desc, id desc limit 2`
    return rows.flatMap(({ result, steps }) => steps.map((step) => ({ ...step, result })))
  }
  const read = { name: 'user-info-read', result: 'succeeded' }
  findProvider('signed-user-info').habits.userInfo = 'forged'
  expect((await listSteps('signed-user-info')).filter(({ isFailed }) => isFailed)).toEqual([
    expect.objectContaining({ name: 'user-info-read', result: 'failed' }),
  ])
  expect(await listSteps('claims-at-user-info')).toContainEqual(expect.objectContaining({ ...read, isFailed: false }))
  expect(await listSteps('user-info-refused')).toContainEqual(
    expect.objectContaining({ ...read, isFailed: true, detail: { message: 'user info: status 403' } }),
  )
  expect(await listSteps('unannounced-prompts', '&prompt=select_account')).toContainEqual(
    expect.objectContaining({ name: 'redirected', detail: expect.objectContaining({ without: 'select_account' }) }),
  )
})

describe('a prompt', () => {
  /** Returns the prompts of the requests to a provider. */
  const listPrompts = ({ visitedUrls }: TestBrowser) =>
    visitedUrls
      .map((url) => new URL(url))
      .filter(({ pathname, search }) => pathname === '/authorize' && search !== '')
      .map(({ searchParams }) => searchParams.get('prompt'))

  test.for([
    ['announced-prompts', [null]],
    ['unannounced-prompts', ['select_account', null]],
    ['usual', ['select_account']],
  ] as const)('is sent to the provider %s as far as it knows it: %j', async ([id, prompts]) => {
    const { browser, page } = await signIn(id, { query: '&prompt=select_account' })
    expect(page.url).toEqual(signedIn)
    expect(listPrompts(browser)).toEqual(prompts)
  })

  test('does not keep a signed-in user from signing in at another provider', async () => {
    const browser = openBrowser()
    await browser.submit(await browser.open('/login?idp=local'), { name: 'eve', password: demoPassword })
    await signIn('unannounced-prompts', { browser })
    expect((await callOf(browser)(getCurrentUser, {})).claims.idp).toBe('unannounced-prompts')
  })

  test('that is refused does not keep a user from linking a login', async () => {
    const browser = openBrowser()
    await browser.submit(await browser.open('/login?idp=local'), { name: 'dev', password: demoPassword })
    const body = { idp: 'unannounced-prompts' }
    const { authorizationUrl } = await callOf(browser)(accountsApi.linkLogin, { body })
    const page = await browser.submit(await browser.open(authorizationUrl), { name: 'Lena Linked', fault: 'none' })
    expect(page.url).toBe(`${service.url}/app/account/logins?linked=unannounced-prompts`)
  })

  test('that is refused is left out once: the next error is final', async () => {
    const browser = openBrowser()
    const { issuer } = findProvider('unannounced-prompts')
    const plain = await browser.open('/login?idp=unannounced-prompts&prompt=select_account')
    const state = new URL(plain.url).searchParams.get('state') ?? ''
    const error = new URLSearchParams({ error: 'account_selection_required', state, iss: issuer })
    const page = await browser.open(`${service.url}/login/callback/unannounced-prompts?${error}`)
    expect([page.status, page.text]).toEqual([502, expect.stringContaining('Lantern rejected the sign-in')])
  })

  test('that the provider does not know proves no recent sign-in', async () => {
    const { browser, page } = await signIn('no-forced-sign-in', { query: '&prompt=login' })
    expect(listPrompts(browser)).toEqual([null])
    expect(page.text).toContain('Your sign-in cannot be confirmed')
  })
})

describe('signing out', () => {
  const signOut = (browser: TestBrowser) => callOf(browser)(accountsApi.signOut, { body: {} })

  test('returns to the address that is registered at the provider', async () => {
    const { browser } = await signIn('usual')
    const { endSessionUrl, endSessionTicket } = await signOut(browser)
    const { pathname, searchParams } = new URL(endSessionUrl ?? '')
    expect([pathname, endSessionTicket]).toEqual(['/endsession', undefined])
    expect(Object.fromEntries(searchParams)).toEqual({
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      client_id: 'passport_at-lantern',
      post_logout_redirect_uri: `${service.url}/app/`,
    })
  })

  test('sends no address to a provider with postLogoutRedirect: false', async () => {
    const { browser } = await signIn('no-sign-out-address')
    const page = await browser.open((await signOut(browser)).endSessionUrl ?? '')
    expect([page.status, page.text]).toEqual([200, 'You are signed out.'])
  })

  test('sends a long ID token as a form', async () => {
    const provider = findProvider('long-tokens')
    provider.habits.postLogoutRedirectUris = [`${service.url}/app/`]
    const { browser } = await signIn('long-tokens')
    const { endSessionUrl, endSessionTicket: ticket = '' } = await signOut(browser)
    expect(endSessionUrl).toBe(`${service.url}/login/signout`)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: service.url }
    const response = await browser.send('/login/signout', {
      method: 'POST',
      body: new URLSearchParams({ ticket }).toString(),
      headers,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).not.toContain('form-action')
    const shown = { status: 200, url: endSessionUrl ?? '', headers: response.headers, text: await response.text() }
    const page = await browser.submit(shown, {})
    expect(page.url).toBe(`${service.url}/app/`)
    expect(browser.visitedUrls).toContain(`${provider.issuer}/endsession`)
  })

  test.for(['', 'forged'])('with the ticket “%s” leads home', async (ticket) => {
    const response = await openBrowser().send('/login/signout', {
      method: 'POST',
      body: new URLSearchParams({ ticket }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
    })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/app/'])
  })
})

describe('a provider that rotates its key', () => {
  test('has its new key read at once', async () => {
    await signIn('es256')
    const before = findProvider('es256').countRequests('/jwks')
    await findProvider('es256').rotateKey()
    const pages = await Promise.all([signIn('es256'), signIn('es256'), signIn('es256')])
    expect(pages.map(({ page }) => page.url)).toEqual([signedIn, signedIn, signedIn])
    expect(findProvider('es256').countRequests('/jwks') - before).toBe(1)
  })

  test('without key ids, too', async () => {
    await signIn('no-key-ids')
    await findProvider('no-key-ids').rotateKey()
    expect((await signIn('no-key-ids')).page.url).toEqual(signedIn)
  })
})
