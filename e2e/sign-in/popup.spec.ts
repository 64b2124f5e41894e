import { type App, expect, type Page, test, waitUntilReady } from './app.ts'

/** Starts a sign-in with a popup; `window.outcome` holds the result. */
async function openPopup(app: App, options: object = {}): Promise<Page> {
  const opening = app.page.waitForEvent('popup')
  await app.page.evaluate((popupOptions) => {
    window.outcome = window.settle(window.client.signinPopup(popupOptions))
  }, options)
  return opening
}

const readOutcome = (app: App) => app.page.evaluate(() => window.outcome)

test('a successful popup stores the user, emits userLoaded, and is closed', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app, { state: { page: 7 } })
  await popup.getByRole('link', { name: 'Sign in' }).click()
  expect(await readOutcome(app)).toMatchObject({ value: { profile: { sub: 'ada' }, state: { page: 7 } } })
  await expect.poll(() => popup.isClosed()).toBe(true)
  expect([(await app.stored())?.['profile'], await app.events()]).toMatchObject([{ sub: 'ada' }, ['userLoaded']])
  expect(op.requests('/authorize')[0]?.query).toMatchObject({ display: 'popup' })
  expect(op.requests('/token')).toHaveLength(1)
})

test('reports an error response of the provider in the popup', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Cancel' }).click()
  expect(await readOutcome(app)).toMatchObject({
    error: { message: 'access_denied', description: 'The user denied the request.' },
  })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('reports a popup closed on the provider’s page', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await popup.close()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed', code: 'popup_closed' } })
  const remainingKeys = await app.page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith('oidc.')),
  )
  expect(remainingKeys).toEqual([])
})

test('reports a popup closed before it navigated', async ({ app, op }) => {
  op.script.discovery = 'hang'
  await app.open()
  const popup = await openPopup(app)
  await popup.close()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('reports a popup closed while the provider hangs', async ({ app, op }) => {
  op.script.authorization = 'hang'
  await app.open()
  const popup = await openPopup(app)
  await expect.poll(() => op.requests('/authorize').length).toBe(1)
  await popup.close()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('reports a popup closed at the callback before it responded', async ({ app }) => {
  await app.open({ popup_redirect_uri: `${app.url}/silence` })
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/silence')
  await popup.close()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('accepts a response after the popup was first seen closed', async ({ app, context }) => {
  await app.open({ popup_redirect_uri: `${app.url}/silence` })
  await app.page.clock.install()
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/silence')
  const responseUrl = popup.url()
  await app.page.clock.pauseAt(Date.now() + 60_000)
  await popup.close()
  // One poll finds it closed; the response arrives before the next.
  await app.page.clock.runFor(500)
  const forwardingPage = await context.newPage()
  await forwardingPage.goto(responseUrl.replace('/silence', '/callback'))
  expect(await readOutcome(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
})

test('detects a closed popup by polling every 500 ms', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  await app.page.clock.install()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await app.page.clock.pauseAt(Date.now() + 3_600_000)
  await popup.close()
  const isSettled = () =>
    app.page.evaluate(() => Promise.race([window.outcome.then(() => true), Promise.resolve(false)]))
  await app.page.clock.runFor(499)
  expect(await isSettled()).toBe(false)
  await app.page.clock.runFor(501)
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('opens a popup with exactly these features', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  await app.page.evaluate(() => {
    const open = window.open.bind(window)
    window.open = (...args) => {
      document.title = JSON.stringify(args)
      return open(...args)
    }
  })
  const popup = await openPopup(app)
  expect(JSON.parse(await app.page.title())).toEqual([
    '',
    '_blank',
    'location=no,toolbar=no,width=500,height=500,left=100,top=100;',
  ])
  await popup.waitForURL((url) => url.pathname === '/authorize')
  expect(await popup.evaluate(() => [window.innerWidth, window.innerHeight])).toEqual([500, 500])
})

test('a call has its own features, target and data', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app, {
    popupWindowFeatures: 'width=300,height=200',
    popupWindowTarget: 'sign-in',
    data: { page: 7 },
  })
  await popup.waitForURL((url) => url.pathname === '/authorize')
  expect(await popup.evaluate(() => [window.innerWidth, window.innerHeight, window.name])).toEqual([
    300,
    200,
    'sign-in',
  ])
  await popup.getByRole('link', { name: 'Sign in' }).click()
  expect(await readOutcome(app)).toMatchObject({ value: { state: { page: 7 } } })
})

test('opens no popup without a redirect URL', async ({ app }) => {
  await app.open({ redirect_uri: '' })
  const popups: Page[] = []
  app.page.on('popup', (popup) => popups.push(popup))
  const settled = await app.page.evaluate(() => window.settle(window.client.signinPopup()))
  expect(settled.error?.message).toBe('No popup_redirect_uri or redirect_uri configured')
  expect(popups).toEqual([])
})

test('redirects a popup to the URL of the call, of popups, or of redirects', async ({ app, op }) => {
  for (const [settings, popupOptions, expected] of [
    [{ popup_redirect_uri: `${app.url}/callback?p` }, { redirect_uri: `${app.url}/callback?c` }, '/callback?c'],
    [{ popup_redirect_uri: `${app.url}/callback?p` }, {}, '/callback?p'],
    [{}, {}, '/callback'],
  ] as const) {
    op.reset()
    await app.open(settings)
    await openPopup(app, popupOptions)
    expect(await readOutcome(app)).toHaveProperty('value.profile.sub', 'ada')
    expect(op.requests('/authorize')[0]?.query['redirect_uri']).toBe(app.url + expected)
  }
})

test('a popup callback requires a state, and sends nothing without one', async ({ app, op }) => {
  op.script.authorizationResponse = { state: undefined }
  await app.open()
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(popup)
  const { error } = await popup.evaluate(() => window.outcome)
  expect(error).toMatchObject({ message: 'No state in response', code: 'no_state' })
  await popup.close()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

for (const message of [
  '',
  null,
  7,
  { url: 'https://elsewhere.example/' },
  'https://elsewhere.example/callback?code=c',
]) {
  test(`rejects the message ${JSON.stringify(message)} of a popup`, async ({ app, op }) => {
    op.script.authorization = 'ask'
    await app.open()
    const popup = await openPopup(app)
    await popup.getByRole('link', { name: 'Sign in' }).waitFor()
    const { state } = op.requests('/authorize')[0]?.query ?? {}
    const otherPage = await app.page.context().newPage()
    await otherPage.goto(`${app.url}/silence`)
    await otherPage.evaluate(
      ([id, data]) => new BroadcastChannel(`oidc.popup.${id}`).postMessage(data),
      [state, message],
    )
    expect(await readOutcome(app)).toMatchObject({ error: { message: 'Invalid response from popup' } })
    await expect.poll(() => popup.isClosed()).toBe(true)
  })
}

test('reports a popup blocked by the browser', async ({ app }) => {
  await app.open()
  const settled = await app.page.evaluate(() => {
    window.open = () => null
    return window.settle(window.client.signinPopup())
  })
  expect(settled.error).toMatchObject({ message: 'Error opening popup window', code: 'popup_blocked' })
})

test('aborting settles the call once and closes the popup', async ({ app, op }) => {
  op.script.authorization = 'ask'
  await app.open()
  const opening = app.page.waitForEvent('popup')
  await app.page.evaluate(() => {
    const controller = new AbortController()
    document.addEventListener('click', () => controller.abort(new Error('enough')))
    window.outcome = window.settle(window.client.signinPopup({ signal: controller.signal }))
  })
  const popup = await opening
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await app.page.dispatchEvent('body', 'click')
  expect(await readOutcome(app)).toMatchObject({ error: { code: 'aborted', cause: 'Error: enough' } })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('with popupIsolated, accepts the response of a popup that is isolated from its opener', async ({ app, op }) => {
  op.script.authorization = 'ask'
  op.script.isolatesOpener = true
  await app.open({ popupIsolated: true })
  const popup = await openPopup(app)
  const link = popup.getByRole('link', { name: 'Sign in' })
  await link.waitFor()
  expect(await popup.evaluate(() => window.opener)).toBeNull()
  await link.click()
  expect(await readOutcome(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('with popupIsolated, waits for a closed popup until the caller aborts', async ({ app, op }) => {
  op.script.authorization = 'ask'
  op.script.isolatesOpener = true
  await app.open({ popupIsolated: true, popupCheckInterval: 50 })
  const opening = app.page.waitForEvent('popup')
  await app.page.evaluate(() => {
    const controller = new AbortController()
    document.addEventListener('click', () => controller.abort(new Error('enough')))
    window.outcome = window.settle(window.client.signinPopup({ signal: controller.signal }))
  })
  const popup = await opening
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await popup.close()
  const firstOutcome = app.page.evaluate(() =>
    Promise.race([window.outcome, new Promise((resolve) => setTimeout(resolve, 500))]),
  )
  expect(await firstOutcome).toBeUndefined()
  await app.page.dispatchEvent('body', 'click')
  expect(await readOutcome(app)).toMatchObject({ error: { code: 'aborted', cause: 'Error: enough' } })
})

test('without popupIsolated, reports an isolated popup as closed', async ({ app, op }) => {
  op.script.authorization = 'ask'
  op.script.isolatesOpener = true
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed', code: 'popup_closed' } })
  // It is still open, but its response comes too late.
  await popup.getByRole('link', { name: 'Sign in' }).click()
  await popup.waitForURL((url) => url.pathname === '/callback')
  await waitUntilReady(popup)
  expect(await popup.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'state_not_found' } })
  expect([await app.stored(), await app.events()]).toEqual([null, []])
})

test('without popupIsolated, accepts an isolated popup that responds immediately', async ({ app, op }) => {
  op.script.isolatesOpener = true
  await app.open()
  await openPopup(app)
  expect(await readOutcome(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
})

test('with popupIsolated, reports a popup closed before it navigated', async ({ app, page }) => {
  await app.open({ popupIsolated: true })
  const discovery = Promise.withResolvers<void>()
  await page.route('**/.well-known/*', async (route) => {
    await discovery.promise
    await route.continue()
  })
  const popup = await openPopup(app)
  await popup.close()
  discovery.resolve()
  expect(await readOutcome(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('the page in the popup only forwards the response', async ({ app, op }) => {
  await app.open({ automaticSilentRenew: true, monitorSession: true })
  const popup = await openPopup(app)
  await popup.waitForEvent('close')
  expect(await readOutcome(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  expect(op.requests('/token')).toHaveLength(1)
})
