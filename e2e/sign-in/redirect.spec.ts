import { expect, test, waitUntilReady } from './app.ts'

test('a redirect stores the user and emits userLoaded', async ({ app, op }) => {
  await app.open({ extraQueryParams: { audience: 'api' } })
  const before = Math.floor(Date.now() / 1000)
  await app.page.evaluate(() => void window.client.signinRedirect({ state: { page: 7 } }))
  await app.page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(app.page)
  const { value } = await app.page.evaluate(() => window.outcome)
  expect(value).toMatchObject({ token_type: 'Bearer', scope: 'openid profile', state: { page: 7 } })
  expect(await app.events()).toEqual(['userLoaded'])
  const stored = await app.stored()
  expect(stored).toEqual({
    id_token: expect.any(String),
    session_state: 'state-1',
    access_token: value.access_token,
    token_type: 'Bearer',
    scope: 'openid profile',
    profile: {
      sub: 'ada',
      azp: 'harbour-app',
      sid: 'session-1',
      auth_time: expect.any(Number),
      name: 'Ada Quist',
      preferred_username: 'ada',
    },
    expires_at: expect.any(Number),
  })
  expect(Number(stored?.['expires_at']) - before).toBeGreaterThanOrEqual(3600)
  expect(op.requests('/authorize')[0]?.query).toMatchObject({ audience: 'api', response_mode: 'query' })
})

test('stores the user in sessionStorage by authority and client id, not shared with other tabs', async ({
  app,
  context,
}) => {
  await app.open()
  await app.signIn()
  const keys = await app.page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('oidc.user')))
  expect(keys).toEqual([`oidc.user:${app.settings.authority}:harbour-app`])
  const otherTab = await context.newPage()
  await otherTab.goto(app.url)
  await waitUntilReady(otherTab)
  expect(await otherTab.evaluate(() => window.client.getUser())).toBeNull()
})

test('stores the user in a store of the application', async ({ app }) => {
  await app.open()
  const loaded = await app.page.evaluate(async (settings) => {
    const userStore = window.signIn.memoryStorage()
    const client = window.createClient({ ...settings, userStore })
    await client.signinPopup()
    return { user: await client.getUser(), key: userStore.key(0), kept: Object.keys(sessionStorage) }
  }, app.settings)
  expect(loaded).toMatchObject({ user: { profile: { sub: 'ada' } }, kept: [] })
})

test('getUser returns the stored user and emits nothing', async ({ app }) => {
  await app.open()
  await app.signIn()
  await app.page.goto(app.url)
  await waitUntilReady(app.page)
  expect(await app.page.evaluate(() => window.settle(window.client.getUser()))).toMatchObject({
    value: { profile: { sub: 'ada' } },
  })
  expect(await app.events()).toEqual([])
})

test('accepts a response in the fragment and removes it from the URL', async ({ app, op }) => {
  await app.open({ response_mode: 'fragment', redirect_uri: `${app.url}/callback?tab=2`, prompt: 'login' })
  await app.signIn()
  expect(app.page.url()).toBe(`${app.url}/callback?tab=2`)
  expect(op.requests('/authorize')[0]?.query).toMatchObject({ response_mode: 'fragment', prompt: 'login' })
})

test('removes a response in the query and keeps the application’s own parameters', async ({ app }) => {
  await app.open({ redirect_uri: `${app.url}/callback?tab=2` })
  await app.signIn()
  expect(app.page.url()).toBe(`${app.url}/callback?tab=2`)
  expect(await app.page.evaluate(() => history.length)).toBeGreaterThan(1)
})

test('stores a request in localStorage until its response', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.getByRole('link', { name: 'Sign in' }).click()
  await waitUntilReady(app.page)
  await app.page.evaluate(() => window.outcome)
  const remainingKeys = await app.page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith('oidc.')),
  )
  expect(remainingKeys).toEqual([])
  const { state } = op.requests('/authorize')[0]?.query ?? {}
  expect(state).toMatch(/^[0-9a-f]{32}$/)
})

test('deletes requests older than 900 s at startup and in clearStaleState', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.getByRole('link', { name: 'Cancel' }).waitFor()
  await app.page.goto(`${app.url}/silence`)
  const listPendingKeys = () =>
    app.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('oidc.')))
  expect(await listPendingKeys()).toHaveLength(1)
  await app.page.clock.setFixedTime(Date.now() + 901_000)
  await app.page.goto(app.url)
  await waitUntilReady(app.page)
  expect(await listPendingKeys()).toEqual([])
  await app.page.evaluate(({ authority, client_id }) => {
    const state = { created: 1, request_type: 'si:r', authority, client_id }
    localStorage.setItem('oidc.old', JSON.stringify({ ...state, id: 'old' }))
    localStorage.setItem('oidc.other', JSON.stringify({ ...state, id: 'other', client_id: 'another-app' }))
    return window.client.clearStaleState()
  }, app.settings)
  expect(await listPendingKeys()).toEqual(['oidc.other'])
})

test('a new client deletes no entries of other programs', async ({ app }) => {
  await app.open()
  const kept = await app.page.evaluate((settings) => {
    const others = {
      'oidc.broken': '{"id":',
      'oidc.session': 'one of another program',
      'oidc.f00': JSON.stringify({ id: 'f00', created: 1, request_type: 'si:r', client_id: 'another-app' }),
    }
    const storages = [localStorage, sessionStorage]
    for (const storage of storages) for (const [key, text] of Object.entries(others)) storage.setItem(key, text)
    const client = window.createClient({ ...settings, userStore: localStorage })
    client.close()
    return storages.flatMap((storage) => Object.keys(others).filter((key) => storage.getItem(key) === null))
  }, app.settings)
  expect(kept).toEqual([])
})

test('with full storage, rejects with a SigninError and does not navigate', async ({ app, op }) => {
  await app.open()
  const settled = await app.page.evaluate(() => {
    const text = 'x'.repeat(1024)
    try {
      for (let index = 0; ; index++) localStorage.setItem(`filled-${index}`, text)
    } catch {
      localStorage.removeItem('settings')
    }
    // The last kilobytes.
    try {
      for (let index = 0; ; index++) localStorage.setItem(`rest-${index}`, '')
    } catch {
      return window.settle(window.client.signinRedirect())
    }
  })
  expect(settled).toMatchObject({
    error: {
      name: 'SigninError',
      code: 'storage_unavailable',
      message: 'The storage of the browser is full or forbidden',
    },
  })
  expect(op.requests('/authorize')).toEqual([])
})

test('with forbidden storage, rejects calls and does not break the page', async ({ app }) => {
  const errors: string[] = []
  app.page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await app.page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get: () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
  })
  await app.open()
  expect(errors).toEqual([expect.stringContaining('The storage of the browser cannot be used')])
  const rejections = await app.page.evaluate(() =>
    Promise.all([window.client.getUser(), window.client.removeUser(), window.client.signinSilent()].map(window.settle)),
  )
  for (const { error } of rejections) expect(error).toMatchObject({ name: 'SigninError', code: 'storage_unavailable' })
})

test('a closed client starts no timer again', async ({ app, op }) => {
  op.script.tokenResponse = { expires_in: 120 }
  await app.open({ monitorSession: true, automaticSilentRenew: true, scope: 'openid offline_access' })
  await app.signIn()
  const started = await app.page.evaluate(async () => {
    const { client } = window
    client.close()
    const delays: (number | undefined)[] = []
    const start = window.setInterval.bind(window)
    window.setInterval = ((work: () => void, delay?: number) => {
      delays.push(delay)
      return start(work, delay)
    }) as typeof window.setInterval
    await client.getUser()
    client.startSilentRenew()
    await client.signinSilent()
    await client.getUser()
    return delays
  })
  expect(started).toEqual([])
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
})

test('keeps protocol claims with filterProtocolClaims false', async ({ app, op }) => {
  await app.open({ filterProtocolClaims: false })
  await app.signIn()
  expect((await app.stored())?.['profile']).toMatchObject({
    iss: op.issuer,
    aud: 'harbour-app',
    exp: expect.any(Number),
    nonce: expect.any(String),
    name: 'Ada Quist',
  })
})

const invalidClaims = [
  ['another issuer', { iss: 'https://elsewhere.example' }],
  ['another audience', { aud: 'other' }],
  ['another azp', { azp: 'other' }],
  ['an expiry long ago', { exp: 1_700_000_000 }],
  ['an iat in the future', { iat: 4_000_000_000 }],
  ['an nbf in the future', { nbf: 4_000_000_000 }],
  ['another nonce', { nonce: 'of-another-request' }],
  ['the hash of another access token', { at_hash: 'of-another-token' }],
] as const

for (const [description, claims] of invalidClaims) {
  test(`rejects a code whose token has ${description}`, async ({ app, op }) => {
    op.script.claims = claims
    await app.open()
    await app.page.evaluate(() => void window.client.signinRedirect())
    await app.page.waitForURL((url) => url.pathname === '/callback')
    await waitUntilReady(app.page)
    const { error } = await app.page.evaluate(() => window.outcome)
    expect(error).toMatchObject({ name: 'SigninError', message: 'Failed to validate id_token' })
    expect([await app.stored(), await app.events()]).toEqual([null, []])
  })
}

for (const signature of ['forged', 'none', 'shared-secret'] as const) {
  test(`rejects a code whose token has the signature “${signature}”`, async ({ app, op }) => {
    op.script.signature = signature
    await app.open()
    await app.page.evaluate(() => void window.client.signinRedirect())
    await app.page.waitForURL((url) => url.pathname === '/callback')
    await waitUntilReady(app.page)
    const { error } = await app.page.evaluate(() => window.outcome)
    expect(error?.message).toBe('Failed to validate id_token')
    expect(await app.stored()).toBeNull()
  })
}

test('verifies the signature of an id_token in the fragment', async ({ app, op }) => {
  await app.open({ response_type: 'id_token' })
  await app.signIn()
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' }, id_token: expect.any(String) })
  expect(op.requests('/token')).toEqual([])
  op.script.signature = 'forged'
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.waitForURL((url) => url.hash !== '')
  await waitUntilReady(app.page)
  const { error } = await app.page.evaluate(() => window.outcome)
  expect(error?.message).toBe('Failed to validate id_token')
})

test('rejects the response of another issuer before using its code (RFC 9207)', async ({ app, op }) => {
  op.script.authorizationResponse = { iss: 'https://elsewhere.example' }
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(app.page)
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'invalid_response' } })
  expect(op.requests('/token')).toEqual([])
})

test('reports an error response of the provider with its code and description', async ({ app, op }) => {
  op.script.authorization = { error: 'access_denied', error_description: 'The user denied the request.' }
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(app.page)
  const { error } = await app.page.evaluate(() => window.outcome)
  expect(error).toMatchObject({
    message: 'access_denied',
    code: 'access_denied',
    description: 'The user denied the request.',
  })
})

test('rejects the user-info of another user', async ({ app, op }) => {
  op.script.userInfoClaims = { sub: 'eve' }
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  await app.page.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(app.page)
  const { error } = await app.page.evaluate(() => window.outcome)
  expect(error?.message).toBe('sub from user info endpoint does not match sub in id_token')
  expect(await app.stored()).toBeNull()
})

test('does not load user-info without loadUserInfo', async ({ app, op }) => {
  await app.open({ loadUserInfo: false })
  await app.signIn()
  expect(op.requests('/userinfo')).toEqual([])
  expect(await app.stored()).not.toHaveProperty('profile.name')
})

test('concurrent callbacks share one user, and a later one is rejected', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  await app.page.evaluate(() => void window.client.signinRedirect())
  const link = app.page.getByRole('link', { name: 'Sign in' })
  const response = await app.page.request.get(new URL((await link.getAttribute('href')) ?? '', op.issuer).href, {
    maxRedirects: 0,
  })
  const responseUrl = response.headers()['location'] ?? ''
  await app.page.goto(app.url)
  await waitUntilReady(app.page)
  const outcomes = await app.page.evaluate(async (url) => {
    const isSame = (users: unknown[]) => users.every((user) => user !== undefined && user === users[0])
    const callbacks = [window.client.signinCallback(url), window.client.signinCallback(url)]
    window.client.close()
    callbacks.push(window.createClient(window.client.settings).signinCallback(url))
    return {
      isShared: isSame(await Promise.all(callbacks)),
      late: await window.settle(window.client.signinCallback(url)),
    }
  }, responseUrl)
  expect(outcomes).toMatchObject({
    isShared: true,
    late: { error: { message: 'No matching state found in storage', code: 'state_already_used' } },
  })
  expect(op.requests('/token')).toHaveLength(1)
  // Each of the two clients notifies its own listeners once.
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
  await app.page.goto(responseUrl)
  await waitUntilReady(app.page)
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'state_already_used' } })
})

test('rejects an unsolicited response', async ({ app }) => {
  await app.open()
  await app.page.goto(`${app.url}/callback?code=c&state=0123456789abcdef0123456789abcdef`)
  await waitUntilReady(app.page)
  const { error } = await app.page.evaluate(() => window.outcome)
  expect(error).toMatchObject({ message: 'No matching state found in storage', code: 'state_not_found' })
})

for (const marker of ['so:r', 'si:x', 'so:s', undefined]) {
  test(`rejects the request type ${marker} in a sign-in callback`, async ({ app }) => {
    await app.open()
    const settled = await app.page.evaluate((request_type) => {
      const state = { id: 'f00', created: Math.floor(Date.now() / 1000), request_type }
      localStorage.setItem('oidc.f00', JSON.stringify(state))
      return window.settle(window.client.signinCallback(`${location.origin}/callback?code=c&state=f00`))
    }, marker)
    expect(settled.error?.message).toBe('invalid response_type in state')
  })
}

test('rejects a redirect without a redirect URL', async ({ app }) => {
  await app.open({ redirect_uri: '' })
  const settled = await app.page.evaluate(() => window.settle(window.client.signinRedirect()))
  expect(settled.error).toMatchObject({ code: 'no_redirect_uri' })
})

test('rejects every way to sign in without an authorization endpoint', async ({ app, op }) => {
  op.script.metadata = { authorization_endpoint: undefined }
  await app.open()
  const settled = await app.page.evaluate(() =>
    Promise.all([
      window.settle(window.client.signinRedirect()),
      window.settle(window.client.signinPopup()),
      window.settle(window.client.signinSilent()),
    ]),
  )
  expect(settled.map(({ error }) => error?.message)).toEqual(Array(3).fill('No url provided'))
})

test('an aborted redirect does not leave the page', async ({ app, op }) => {
  op.script.discovery = 'hang'
  await app.open()
  const settled = await app.page.evaluate(() => {
    const controller = new AbortController()
    const redirect = window.settle(window.client.signinRedirect({ signal: controller.signal }))
    controller.abort()
    return redirect
  })
  expect(settled.error).toMatchObject({ name: 'SigninError', code: 'aborted' })
})
