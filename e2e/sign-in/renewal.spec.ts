import { type App, createApp, expect, signInFor, test, waitUntilReady } from './app.ts'

test('starts a renewal when the token is about to expire', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true, scope: 'openid offline_access' }, op.script.tokenResponse)
  await app.page.clock.runFor(50_000)
  expect(op.requests('/token')).toHaveLength(1)
  await app.page.clock.runFor(15_000)
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'userLoaded'])
  expect(op.requests('/token')).toHaveLength(2)
  await app.page.clock.runFor(120_000)
  expect(await app.events()).not.toContain('accessTokenExpired')
})

test('renews nothing by default, but reports the expiry', async ({ app, op }) => {
  await signInFor(app, 120, { scope: 'openid offline_access' }, op.script.tokenResponse)
  await app.page.clock.runFor(130_000)
  expect(await app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'accessTokenExpired'])
  expect(op.requests('/token')).toHaveLength(1)
})

test('renewal can be started and stopped', async ({ app, op }) => {
  await signInFor(app, 120, { scope: 'openid offline_access' }, op.script.tokenResponse)
  await app.page.evaluate(() => window.client.startSilentRenew())
  await app.page.clock.runFor(70_000)
  await expect.poll(() => op.requests('/token').length).toBe(2)
  await app.page.evaluate(() => window.client.stopSilentRenew())
  await app.page.clock.runFor(3_600_000)
  expect(op.requests('/token')).toHaveLength(2)
})

for (const [behaviour, message] of [
  [{ error: 'invalid_client' }, 'invalid_client'],
  ['empty', 'No response returned from token endpoint'],
] as const) {
  test(`a renewal that fails with ${message} emits silentRenewError once`, async ({ app, op }) => {
    await signInFor(app, 120, { automaticSilentRenew: true, scope: 'openid offline_access' }, op.script.tokenResponse)
    op.script.token = behaviour
    await app.page.clock.runFor(65_000)
    const expectedEvents = ['userLoaded', 'accessTokenExpiring', `silentRenewError: ${message}`]
    await expect.poll(() => app.events()).toEqual(expectedEvents)
    await app.page.clock.runFor(60_000)
    expect(await app.events()).toEqual([...expectedEvents, 'accessTokenExpired'])
    expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
    expect(op.requests('/token')).toHaveLength(2)
  })
}

test('a failed frame emits silentRenewError too', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true }, op.script.tokenResponse)
  op.script.session = undefined
  await app.page.clock.runFor(65_000)
  const expectedEvents = ['userLoaded', 'accessTokenExpiring', 'silentRenewError: login_required']
  await expect.poll(() => app.events()).toEqual(expectedEvents)
})

test('retries a renewal when the network is back', async ({ app, op, context }) => {
  await signInFor(app, 120, { automaticSilentRenew: true, scope: 'openid offline_access' }, op.script.tokenResponse)
  await context.setOffline(true)
  await app.page.clock.runFor(65_000)
  await expect.poll(() => app.events()).toContain('silentRenewError: Network Error')
  await context.setOffline(false)
  await expect.poll(async () => (await app.events()).at(-1)).toBe('userLoaded')
  expect(op.requests('/token')).toHaveLength(2)
})

for (const wake of ['visibilitychange', 'pageshow', 'online']) {
  test(`after a sleep, renews at ${wake} without waiting for a tick`, async ({ app, op }) => {
    await signInFor(app, 600, { automaticSilentRenew: true, scope: 'openid offline_access' }, op.script.tokenResponse)
    // The wall clock has advanced, here and at the provider; no timer has run.
    op.script.claims = { exp: Math.floor(Date.now() / 1000) + 36_000 }
    await app.page.clock.pauseAt(Date.now() + 60_000)
    await app.page.clock.setSystemTime(Date.now() + 7_200_000)
    await app.page.evaluate((type) => {
      const target = type === 'visibilitychange' ? document : window
      target.dispatchEvent(new Event(type))
    }, wake)
    await app.page.clock.resume()
    await expect.poll(() => app.events()).toContain('accessTokenExpiring')
    await expect.poll(async () => (await app.events()).at(-1)).toBe('userLoaded')
    expect(op.requests('/token')).toHaveLength(2)
  })
}

test('tabs with the same refresh token renew in turn and adopt the first result', async ({
  app,
  context,
  op,
  site,
}) => {
  await app.open({ scope: 'openid offline_access' })
  await app.signIn()
  const sessionEntries = await app.page.evaluate(() => ({ ...sessionStorage }))
  const otherTab = createApp(await context.newPage(), op, site)
  await otherTab.page.goto(`${app.url}/silence`)
  await otherTab.page.evaluate((entries) => Object.assign(sessionStorage, entries), sessionEntries)
  await otherTab.page.goto(app.url)
  await waitUntilReady(otherTab.page)
  const renewIn = ({ page }: App) =>
    page.evaluate(() => window.client.signinSilent().then((user) => user?.access_token))
  const [first, second] = await Promise.all([renewIn(app), renewIn(otherTab)])
  expect(first).toBe(second)
  expect(op.requests('/token')).toHaveLength(2)
  expect(await otherTab.stored()).toEqual(await app.stored())
})

test('a tab waits for the renewal of another tab', async ({ app, context, op, site }) => {
  await app.open({ scope: 'openid offline_access' })
  await app.signIn()
  const otherTab = createApp(await context.newPage(), op, site)
  await otherTab.open({ scope: 'openid offline_access' })
  await otherTab.signIn()
  op.script.token = 'hang'
  await app.page.evaluate(() => {
    const controller = new AbortController()
    document.addEventListener('click', () => controller.abort())
    window.outcome = window.settle(window.client.signinSilent({ signal: controller.signal }))
  })
  await expect.poll(() => op.requests('/token').length).toBe(3)
  await otherTab.page.evaluate(() => {
    window.outcome = window.settle(window.client.signinSilent())
  })
  const countPendingLocks = () => otherTab.page.evaluate(async () => (await navigator.locks.query()).pending?.length)
  await expect.poll(countPendingLocks).toBe(1)
  expect(op.requests('/token')).toHaveLength(3)
  op.script.token = 'respond'
  await app.page.dispatchEvent('body', 'click')
  expect(await otherTab.page.evaluate(() => window.outcome)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'aborted' } })
})

test('a concurrent frame and refresh share one outcome', async ({ app, op }) => {
  await app.open({ scope: 'openid offline_access' })
  await app.signIn()
  const tokens = await app.page.evaluate(async () => {
    const users = await Promise.all([
      window.client.signinSilent(),
      window.client.signinSilent({ forceIframeAuth: true }),
    ])
    return users.map((user) => user?.access_token)
  })
  expect(new Set(tokens).size).toBe(1)
  expect(op.requests('/authorize')).toHaveLength(1)
})

test('a closed client renews nothing and emits no events', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true, monitorSession: true }, op.script.tokenResponse)
  await app.page.evaluate(() => window.client.close())
  await app.page.clock.runFor(200_000)
  expect(await app.events()).toEqual(['userLoaded'])
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
  await expect(app.page.locator('iframe')).not.toBeAttached()
})
