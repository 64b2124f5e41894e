import { type App, expect, type Page, ready, test } from './app.ts'

/** Begins to sign in by a popup; the outcome is asked for later. */
async function openPopup(app: App, options: object = {}): Promise<Page> {
  const opening = app.page.waitForEvent('popup')
  await app.page.evaluate((given) => {
    window.outcome = window.settle(window.client.signinPopup(given))
  }, options)
  return opening
}

const outcomeOf = (app: App) => app.page.evaluate(() => window.outcome)

test('S1 S11 a popup that succeeds stores the user, raises user-loaded, and is closed', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app, { state: { page: 7 } })
  await popup.getByRole('link', { name: 'Sign in' }).click()
  expect(await outcomeOf(app)).toMatchObject({ value: { profile: { sub: 'ada' }, state: { page: 7 } } })
  await expect.poll(() => popup.isClosed()).toBe(true)
  expect([(await app.stored())?.['profile'], await app.events()]).toMatchObject([{ sub: 'ada' }, ['userLoaded']])
  expect(shoal.requests('/authorize')[0]?.query).toMatchObject({ display: 'popup' })
  expect(shoal.requests('/token')).toHaveLength(1)
})

test('S11 a popup that the provider refuses is an error', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Cancel' }).click()
  expect(await outcomeOf(app)).toMatchObject({
    error: { message: 'access_denied', description: 'The person said no.' },
  })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('S11 M12 a popup that is closed on the provider’s page: Popup window closed', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await popup.close()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed', code: 'popup_closed' } })
  const left = await app.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('oidc.')))
  expect(left).toEqual([])
})

test('S11 M12 one that is closed before it went anywhere', async ({ app, shoal }) => {
  shoal.script.discovery = 'hang'
  await app.open()
  const popup = await openPopup(app)
  await popup.close()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('S11 M12 one that is closed while the provider hangs', async ({ app, shoal }) => {
  shoal.script.authorization = 'hang'
  await app.open()
  const popup = await openPopup(app)
  await expect.poll(() => shoal.requests('/authorize').length).toBe(1)
  await popup.close()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('S11 M12 one that is closed where the answer arrives, before it was passed on', async ({ app }) => {
  await app.open({ popup_redirect_uri: `${app.url}/silence` })
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/silence')
  await popup.close()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('S11 the answer counts although the popup was seen closed first', async ({ app, context }) => {
  await app.open({ popup_redirect_uri: `${app.url}/silence` })
  await app.page.clock.install()
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/silence')
  const answer = popup.url()
  await app.page.clock.pauseAt(Date.now() + 60_000)
  await popup.close()
  // One look finds it closed; the answer comes before the next.
  await app.page.clock.runFor(500)
  const messenger = await context.newPage()
  await messenger.goto(answer.replace('/silence', '/callback'))
  expect(await outcomeOf(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
})

test('N2 a closed popup is noticed by the looks that are 500 ms apart', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  await app.open()
  await app.page.clock.install()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  await app.page.clock.pauseAt(Date.now() + 3_600_000)
  await popup.close()
  const isOver = () => app.page.evaluate(() => Promise.race([window.outcome.then(() => true), Promise.resolve(false)]))
  await app.page.clock.runFor(499)
  expect(await isOver()).toBe(false)
  await app.page.clock.runFor(501)
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('N3 a popup is opened with exactly these features', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  await app.open()
  await app.page.evaluate(() => {
    const open = window.open.bind(window)
    window.open = (...given) => {
      document.title = JSON.stringify(given)
      return open(...given)
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

test('V9 M1 without an address for it no popup is opened', async ({ app }) => {
  await app.open({ redirect_uri: '' })
  const popups: Page[] = []
  app.page.on('popup', (popup) => popups.push(popup))
  const settled = await app.page.evaluate(() => window.settle(window.client.signinPopup()))
  expect(settled.error?.message).toBe('No popup_redirect_uri or redirect_uri configured')
  expect(popups).toEqual([])
})

test('V9 a popup comes back to the address of the call, of popups, or of redirects', async ({ app, shoal }) => {
  for (const [settings, given, expected] of [
    [{ popup_redirect_uri: `${app.url}/callback?p` }, { redirect_uri: `${app.url}/callback?c` }, '/callback?c'],
    [{ popup_redirect_uri: `${app.url}/callback?p` }, {}, '/callback?p'],
    [{}, {}, '/callback'],
  ] as const) {
    shoal.reset()
    await app.open(settings)
    await openPopup(app, given)
    expect(await outcomeOf(app)).toHaveProperty('value.profile.sub', 'ada')
    expect(shoal.requests('/authorize')[0]?.query['redirect_uri']).toBe(app.url + expected)
  }
})

test('V8 a popup callback needs a state, and sends nothing without one', async ({ app, shoal }) => {
  shoal.script.response = { state: undefined }
  await app.open()
  const popup = await openPopup(app)
  await popup.waitForURL((url) => url.pathname === '/callback')
  await ready(popup)
  const { error } = await popup.evaluate(() => window.outcome)
  expect(error).toMatchObject({ message: 'No state in response', code: 'no_state' })
  await popup.close()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

for (const said of ['', null, 7, { url: 'https://elsewhere.example/' }, 'https://elsewhere.example/callback?code=c']) {
  test(`M13 a popup that says ${JSON.stringify(said)}: Invalid response from popup`, async ({ app, shoal }) => {
    shoal.script.authorization = 'ask'
    await app.open()
    const popup = await openPopup(app)
    await popup.getByRole('link', { name: 'Sign in' }).waitFor()
    const { state } = shoal.requests('/authorize')[0]?.query ?? {}
    const other = await app.page.context().newPage()
    await other.goto(`${app.url}/silence`)
    await other.evaluate(([id, data]) => new BroadcastChannel(`oidc.popup.${id}`).postMessage(data), [state, said])
    expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Invalid response from popup' } })
    await expect.poll(() => popup.isClosed()).toBe(true)
  })
}

test('M17 a popup that the browser blocks: Error opening popup window', async ({ app }) => {
  await app.open()
  const settled = await app.page.evaluate(() => {
    window.open = () => null
    return window.settle(window.client.signinPopup())
  })
  expect(settled.error).toMatchObject({ message: 'Error opening popup window', code: 'popup_blocked' })
})

test('S11 a caller who gives up gets one outcome, and the popup is closed', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
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
  expect(await outcomeOf(app)).toMatchObject({ error: { code: 'aborted', cause: 'Error: enough' } })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('S11 a provider that isolates its pages can still answer, where popupIsolated says so', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  shoal.script.isIsolated = true
  await app.open({ popupIsolated: true })
  const popup = await openPopup(app)
  const link = popup.getByRole('link', { name: 'Sign in' })
  await link.waitFor()
  expect(await popup.evaluate(() => window.opener)).toBeNull()
  await link.click()
  expect(await outcomeOf(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  await expect.poll(() => popup.isClosed()).toBe(true)
})

test('S11 one that isolates its pages is waited for until the caller gives up', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  shoal.script.isIsolated = true
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
  const isOver = app.page.evaluate(() => Promise.race([window.outcome, new Promise((on) => setTimeout(on, 500))]))
  expect(await isOver).toBeUndefined()
  await app.page.dispatchEvent('body', 'click')
  expect(await outcomeOf(app)).toMatchObject({ error: { code: 'aborted', cause: 'Error: enough' } })
})

test('S11 M12 without popupIsolated a popup that is isolated counts as closed', async ({ app, shoal }) => {
  shoal.script.authorization = 'ask'
  shoal.script.isIsolated = true
  await app.open()
  const popup = await openPopup(app)
  await popup.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed', code: 'popup_closed' } })
  // It is there still, and what it says comes too late.
  await popup.getByRole('link', { name: 'Sign in' }).click()
  await popup.waitForURL((url) => url.pathname === '/callback')
  await ready(popup)
  expect(await popup.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'state_not_found' } })
  expect([await app.stored(), await app.events()]).toEqual([null, []])
})

test('S11 without popupIsolated an isolated popup that answers at once is still heard', async ({ app, shoal }) => {
  shoal.script.isIsolated = true
  await app.open()
  await openPopup(app)
  expect(await outcomeOf(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
})

test('M12 a popup that is closed before it left, where popupIsolated keeps it from being watched', async ({
  app,
  page,
}) => {
  await app.open({ popupIsolated: true })
  const asked = Promise.withResolvers<void>()
  await page.route('**/.well-known/*', async (route) => {
    await asked.promise
    await route.continue()
  })
  const popup = await openPopup(app)
  await popup.close()
  asked.resolve()
  expect(await outcomeOf(app)).toMatchObject({ error: { message: 'Popup window closed' } })
})

test('S8 the page in the popup only passes the answer on', async ({ app, shoal }) => {
  await app.open({ automaticSilentRenew: true, monitorSession: true })
  const popup = await openPopup(app)
  await popup.waitForEvent('close')
  expect(await outcomeOf(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  expect(shoal.requests('/token')).toHaveLength(1)
})
