import { type App, createApp, expect, type Page, test, waitUntilReady } from './app.ts'

const revoke = (app: App) => app.page.evaluate(() => window.settle(window.client.revokeTokens()))

/** Sets tokens of the stored user. */
async function setStoredTokens(app: App, tokens: Record<string, string | null>) {
  const user = { ...(await app.stored()), ...tokens }
  const key = `oidc.user:${app.settings.authority}:${app.settings.client_id}`
  await app.page.evaluate(([name = '', text = '']) => sessionStorage.setItem(name, text), [key, JSON.stringify(user)])
}

test('removing the user empties the store and emits userUnloaded', async ({ app }) => {
  await app.open()
  await app.signIn()
  await app.page.evaluate(() => window.client.removeUser())
  expect([await app.stored(), await app.events()]).toEqual([null, ['userLoaded', 'userUnloaded']])
  expect(await app.page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('emits no expiry after the user is removed', async ({ app, op }) => {
  op.script.tokenResponse = { expires_in: 120 }
  await app.open()
  await app.signIn()
  await app.page.clock.install()
  await app.page.evaluate(() => window.client.getUser())
  await app.page.evaluate(() => window.client.removeUser())
  await app.page.clock.runFor(300_000)
  expect(await app.events()).toEqual(['userLoaded', 'userUnloaded'])
})

test('signing out removes the user first, then leaves the page', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  const { id_token } = (await app.stored()) ?? {}
  await app.page.evaluate(() => {
    const isUserKey = (key: string) => key.startsWith('oidc.user')
    addEventListener('pagehide', () => {
      localStorage.setItem(
        'at the end',
        [...Object.keys(sessionStorage).filter(isUserKey), ...window.emittedEvents].join(),
      )
    })
    return window.client.signoutRedirect({ state: { page: 7 } })
  })
  await app.page.waitForURL((url) => url.pathname === '/signed-out')
  await waitUntilReady(app.page)
  const finalState = await app.page.evaluate(() => localStorage.getItem('at the end'))
  expect(finalState).toBe('userLoaded,userUnloaded')
  expect(await app.page.evaluate(() => window.outcome)).toEqual({ value: { state: { page: 7 } } })
  expect(op.requests('/endsession')[0]?.query).toEqual({
    id_token_hint: id_token,
    client_id: 'harbour-app',
    post_logout_redirect_uri: `${app.url}/signed-out`,
    state: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
})

test('with the postLogout setting form, signing out posts the ID token and keeps it out of URLs', async ({
  app,
  op,
}) => {
  await app.open({ postLogout: 'form' })
  await app.signIn()
  const { id_token } = (await app.stored()) ?? {}
  const visited: string[] = []
  app.page.on('framenavigated', (frame) => visited.push(frame.url()))
  app.page.on('request', (request) => visited.push(request.url()))
  await app.page.evaluate(() => void window.client.signoutRedirect({ state: { page: 7 } }))
  await app.page.waitForURL((url) => url.pathname === '/signed-out')
  await waitUntilReady(app.page)
  expect(await app.page.evaluate(() => window.outcome)).toEqual({ value: { state: { page: 7 } } })
  const [endSessionRequest] = op.requests('/endsession')
  expect(endSessionRequest).toMatchObject({ method: 'POST', query: {} })
  expect(endSessionRequest?.form).toEqual({
    id_token_hint: id_token,
    client_id: 'harbour-app',
    post_logout_redirect_uri: `${app.url}/signed-out`,
    state: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(visited.filter((url) => url.includes(String(id_token)))).toEqual([])
})

test('signing out removes the user even if the provider is unreachable', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  op.script.discovery = 'close'
  await app.page.goto(app.url)
  await waitUntilReady(app.page)
  const settled = await app.page.evaluate(() => window.settle(window.client.signoutRedirect()))
  expect(settled.error?.message).toBe('Network Error')
  expect(await app.stored()).toBeNull()
})

test('without data, signing out sends no state and the callback returns none', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  await app.page.evaluate(() => void window.client.signoutRedirect())
  await app.page.waitForURL((url) => url.pathname === '/signed-out')
  await waitUntilReady(app.page)
  expect(op.requests('/endsession')[0]?.query).not.toHaveProperty('state')
  expect(await app.page.evaluate(() => window.outcome)).toEqual({ value: { state: undefined } })
})

test('without an end-session endpoint, signing out rejects and removes the user', async ({ app, op }) => {
  op.script.metadata = { end_session_endpoint: undefined }
  await app.open()
  await app.signIn()
  const settled = await app.page.evaluate(() => window.settle(window.client.signoutRedirect()))
  expect(settled.error?.message).toBe('no end session endpoint')
  expect(await app.stored()).toBeNull()
})

for (const marker of ['si:r', 'si:p', 'si:s', 'so:s', 'so:x']) {
  test(`rejects the request type ${marker} in a sign-out callback`, async ({ app }) => {
    await app.open()
    const settled = await app.page.evaluate((request_type) => {
      const state = { id: 'f00', created: Math.floor(Date.now() / 1000), request_type }
      localStorage.setItem('oidc.f00', JSON.stringify(state))
      return window.settle(window.client.signoutCallback(`${location.origin}/signed-out?state=f00`))
    }, marker)
    expect(settled.error?.message).toBe('invalid response_type in state')
  })
}

async function signOutByPopup(app: App): Promise<Page> {
  const opening = app.page.waitForEvent('popup')
  await app.page.evaluate(() => {
    window.outcome = window.settle(window.client.signoutPopup())
  })
  return opening
}

test('signing out with a popup removes the user and closes the popup', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  const popup = await signOutByPopup(app)
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ value: {} })
  await expect.poll(() => popup.isClosed()).toBe(true)
  expect([await app.stored(), op.requests('/endsession').length]).toEqual([null, 1])
})

test('with the postLogout setting form, a popup posts the ID token', async ({ app, op }) => {
  await app.open({ postLogout: 'form' })
  await app.signIn()
  const { id_token } = (await app.stored()) ?? {}
  const popup = await signOutByPopup(app)
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ value: {} })
  await expect.poll(() => popup.isClosed()).toBe(true)
  const [endSessionRequest] = op.requests('/endsession')
  expect([endSessionRequest?.method, endSessionRequest?.query, endSessionRequest?.form['id_token_hint']]).toEqual([
    'POST',
    {},
    id_token,
  ])
})

test('reports a closed sign-out popup', async ({ app }) => {
  await app.open({ popup_post_logout_redirect_uri: `${app.url}/silence` })
  await app.signIn()
  const popup = await signOutByPopup(app)
  await popup.waitForURL((url) => url.pathname === '/silence')
  await popup.close()
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('revocation nulls four fields, stores the user, and emits userLoaded once', async ({ app, op }) => {
  await app.open({ scope: 'openid offline_access' })
  await app.signIn()
  const before = await app.stored()
  expect(await revoke(app)).toEqual({ value: undefined })
  expect(await app.stored()).toEqual({
    ...before,
    access_token: null,
    refresh_token: null,
    expires_at: null,
    token_type: null,
  })
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
  expect(op.requests('/revoke').map(({ form }) => [form['token_type_hint'], form['token']])).toEqual([
    ['access_token', before?.['access_token']],
    ['refresh_token', before?.['refresh_token']],
  ])
})

test('revocation does nothing without tokens', async ({ app, op }) => {
  await app.open()
  expect(await revoke(app)).toEqual({ value: undefined })
  await app.signIn()
  await setStoredTokens(app, { access_token: null })
  const before = await app.stored()
  expect(await revoke(app)).toEqual({ value: undefined })
  expect([await app.stored(), await app.events(), op.requests('/revoke')]).toEqual([before, ['userLoaded'], []])
})

test('does not revoke an access token with a dot', async ({ app, op }) => {
  op.script.tokenResponse = { access_token: 'header.payload.signature' }
  await app.open({ loadUserInfo: false })
  await app.signIn()
  const before = await app.stored()
  expect(await revoke(app)).toEqual({ value: undefined })
  expect([await app.stored(), await app.events(), op.requests('/revoke')]).toEqual([before, ['userLoaded'], []])
})

test('with an access token that has a dot, revokes the refresh token and nulls all four fields', async ({
  app,
  op,
}) => {
  op.script.tokenResponse = { access_token: 'header.payload.signature' }
  await app.open({ loadUserInfo: false, scope: 'openid offline_access' })
  await app.signIn()
  await revoke(app)
  expect(op.requests('/revoke').map(({ form }) => form['token_type_hint'])).toEqual(['refresh_token'])
  expect(await app.stored()).toMatchObject({
    access_token: null,
    refresh_token: null,
    expires_at: null,
    token_type: null,
  })
})

test('rejects a revocation without a revocation endpoint', async ({ app, op }) => {
  op.script.metadata = { revocation_endpoint: undefined }
  await app.open()
  await app.signIn()
  expect(await revoke(app)).toMatchObject({ error: { message: 'Revocation not supported' } })
})

test('a failed revocation leaves the user unchanged', async ({ app, op }) => {
  op.script.revocation = { error: 'server_error', status: 503 }
  await app.open()
  await app.signIn()
  const before = await app.stored()
  expect(await revoke(app)).toMatchObject({ error: { message: 'server_error' } })
  expect(await app.stored()).toEqual(before)
})

test('signing out revokes nothing by default', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  await app.page.evaluate(() => void window.client.signoutRedirect())
  await app.page.waitForURL((url) => url.pathname === '/signed-out')
  expect(op.requests('/revoke')).toEqual([])
})

for (const revocation of ['respond', 'close', { error: 'server_error' }] as const) {
  test(`signing out with revocation (${JSON.stringify(revocation)}) completes`, async ({ app, op }) => {
    op.script.revocation = revocation
    await app.open({ revokeAccessTokenOnSignout: true })
    await app.signIn()
    await app.page.evaluate(() => void window.client.signoutRedirect())
    await app.page.waitForURL((url) => url.pathname === '/signed-out')
    // Chromium repeats a request when its kept-alive connection was closed.
    expect(new Set(op.requests('/revoke').map(({ form }) => form['token'])).size).toBe(1)
    expect(await app.stored()).toBeNull()
  })
}

test('removing the user notifies other tabs of the same user only', async ({ app, context, op, site }) => {
  await app.open()
  await app.signIn()
  const otherTab = createApp(await context.newPage(), op, site)
  await otherTab.open()
  await otherTab.signIn()
  op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  const otherUserTab = createApp(await context.newPage(), op, site)
  await otherUserTab.open()
  await otherUserTab.page.evaluate(() => window.client.signinSilent())
  await app.page.evaluate(() => window.client.removeUser())
  await expect.poll(() => otherTab.events()).toEqual(['userLoaded', 'userUnloaded'])
  expect([await otherTab.stored(), await otherUserTab.events()]).toEqual([null, ['userLoaded']])
  expect(await otherUserTab.stored()).toMatchObject({ profile: { sub: 'eve' } })
})

test('removing the user notifies other tabs that share the store', async ({ app, context, op, site }) => {
  await app.open({ userStore: 'localStorage' })
  await app.signIn()
  const otherTab = createApp(await context.newPage(), op, site)
  await otherTab.open({ userStore: 'localStorage' })
  const user = await otherTab.page.evaluate(() => window.client.getUser())
  expect(user).toMatchObject({ profile: { sub: 'ada' } })
  await app.page.evaluate(() => window.client.removeUser())
  await expect.poll(() => otherTab.events()).toEqual(['userUnloaded'])
  expect(await app.events()).toEqual(['userLoaded', 'userUnloaded'])
})

test('removing a user who signed in in another tab notifies a tab that shares the store', async ({
  app,
  context,
  op,
  site,
}) => {
  await app.open({ userStore: 'localStorage' })
  await app.signIn()
  const otherTab = createApp(await context.newPage(), op, site)
  await otherTab.open({ userStore: 'localStorage' })
  op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  await otherTab.page.evaluate(() => window.client.signinSilent())
  await otherTab.page.evaluate(() => window.client.removeUser())
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userUnloaded'])
})

test('a sign-out popup has the features, the target and the data of its call', async ({ app }) => {
  await app.open()
  await app.signIn()
  const settled = await app.page.evaluate(() => {
    const open = window.open.bind(window)
    window.open = (...args) => {
      document.title = JSON.stringify(args)
      return open(...args)
    }
    const options = { popupWindowFeatures: 'width=300,height=200', popupWindowTarget: 'bye', data: { page: 7 } }
    return window.settle(window.client.signoutPopup(options))
  })
  expect(settled).toEqual({ value: { state: { page: 7 } } })
  expect(JSON.parse(await app.page.title())).toEqual(['', 'bye', 'width=300,height=200'])
})
