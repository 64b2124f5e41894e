import { type App, expect, signInFor, test } from './app.ts'

const byToken = { automaticSilentRenew: true, scope: 'openid offline_access' }

const listFailures = async (app: App) => (await app.events()).filter((event) => event.startsWith('silentRenewError'))

for (const [token, message] of [
  ['close', 'Network Error'],
  [{ status: 503 } as never, 'Service Unavailable (503)'],
  [{ error: 'temporarily_unavailable' }, 'temporarily_unavailable'],
] as const) {
  test(`reports a renewal that fails with ${message} and retries while the token is valid`, async ({ app, op }) => {
    await signInFor(app, 120, byToken, op.script.tokenResponse)
    op.script.token = token
    await app.page.clock.runFor(65_000)
    await expect.poll(() => listFailures(app)).toEqual([`silentRenewError: ${message}`])
    op.script.token = 'respond'
    await app.page.clock.runFor(5000)
    await expect.poll(async () => (await app.events()).at(-1)).toBe('userLoaded')
    expect(await listFailures(app)).toHaveLength(1)
  })
}

for (const [token, message] of [
  [{ error: 'invalid_client' }, 'invalid_client'],
  [{ error: 'invalid_grant' }, 'invalid_grant'],
] as const) {
  test(`does not retry after the permanent error ${message}`, async ({ app, op }) => {
    await signInFor(app, 120, byToken, op.script.tokenResponse)
    op.script.token = token
    op.script.session = undefined
    await app.page.clock.runFor(65_000)
    await expect.poll(() => listFailures(app)).toEqual([`silentRenewError: ${message}`])
    const requestCount = op.requests().length
    await app.page.evaluate(() => window.dispatchEvent(new Event('online')))
    await app.page.clock.runFor(60_000)
    expect([op.requests().length, await listFailures(app)]).toEqual([requestCount, [`silentRenewError: ${message}`]])
  })
}

test('getUser after a failure does not start a new round', async ({ app, op }) => {
  await signInFor(app, 120, byToken, op.script.tokenResponse)
  op.script.token = { error: 'invalid_client' }
  await app.page.clock.runFor(65_000)
  await expect.poll(() => listFailures(app)).toHaveLength(1)
  await app.page.evaluate(() => window.client.getUser())
  await app.page.clock.runFor(5000)
  const expiringEvents = (await app.events()).filter((event) => event === 'accessTokenExpiring')
  expect([expiringEvents.length, (await listFailures(app)).length]).toEqual([2, 1])
})

test('does not sign in a user removed after a failure', async ({ app, op }) => {
  await signInFor(app, 120, byToken, op.script.tokenResponse)
  op.script.token = 'close'
  await app.page.clock.runFor(65_000)
  await expect.poll(() => listFailures(app)).toHaveLength(1)
  await app.page.evaluate(() => window.client.removeUser())
  op.script.token = 'respond'
  const requestCount = op.requests().length
  await app.page.evaluate(() => window.dispatchEvent(new Event('online')))
  await app.page.clock.runFor(60_000)
  expect([await app.stored(), op.requests().length]).toEqual([null, requestCount])
})

/** Simulates the visibility change of a tab. */
const setVisibility = (app: App, visibilityState: 'visible' | 'hidden') =>
  app.page.evaluate((state) => {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, visibilityState)

test('postpones a frame while the page is hidden, until it is visible', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true }, op.script.tokenResponse)
  await setVisibility(app, 'hidden')
  await app.page.clock.runFor(90_000)
  expect(await app.events()).toEqual(['userLoaded', 'accessTokenExpiring'])
  expect(op.requests('/authorize')).toHaveLength(1)
  await setVisibility(app, 'visible')
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'userLoaded'])
  await app.page.clock.runFor(60_000)
  expect(op.requests('/authorize')).toHaveLength(2)
})

test('postpones a frame until at most 10 s before the token expires', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true }, op.script.tokenResponse)
  await setVisibility(app, 'hidden')
  await app.page.clock.runFor(105_000)
  expect(op.requests('/authorize')).toHaveLength(1)
  await app.page.clock.runFor(9000)
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'userLoaded'])
})

test('postpones a frame while offline', async ({ app, context, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true }, op.script.tokenResponse)
  await context.setOffline(true)
  await app.page.clock.runFor(90_000)
  await setVisibility(app, 'visible')
  expect(await app.events()).toEqual(['userLoaded', 'accessTokenExpiring'])
  await context.setOffline(false)
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'userLoaded'])
})

test('does not postpone a refresh while the page is hidden', async ({ app, op }) => {
  await signInFor(app, 120, byToken, op.script.tokenResponse)
  await setVisibility(app, 'hidden')
  await app.page.clock.runFor(65_000)
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'accessTokenExpiring', 'userLoaded'])
})

test('stopping the renewal discards a postponed attempt', async ({ app, op }) => {
  await signInFor(app, 120, { automaticSilentRenew: true }, op.script.tokenResponse)
  await setVisibility(app, 'hidden')
  await app.page.clock.runFor(65_000)
  await app.page.evaluate(() => window.client.stopSilentRenew())
  await setVisibility(app, 'visible')
  await app.page.clock.runFor(60_000)
  expect(op.requests('/authorize')).toHaveLength(1)
})
