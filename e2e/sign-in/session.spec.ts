import type { MisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { type App, expect, test } from './app.ts'

const querySession = (app: App) => app.page.evaluate(() => window.settle(window.client.querySessionStatus()))
const monitored = { monitorSession: true }

test('S9 the session query returns the session without signing in', async ({ app, shoal }) => {
  await app.open()
  expect(await querySession(app)).toEqual({ value: { session_state: 'state-1', sub: 'ada', sid: 'session-1' } })
  expect([await app.stored(), await app.events(), shoal.requests('/userinfo')]).toEqual([null, [], []])
  expect(shoal.requests('/authorize')[0]?.query).toMatchObject({
    prompt: 'none',
    scope: 'openid',
    response_type: 'code',
  })
})

test('S9 the query sends no hint unless the call has one, so that it returns the user signed in now', async ({
  app,
  shoal,
}) => {
  await app.open()
  await app.signIn()
  shoal.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  expect(await querySession(app)).toMatchObject({ value: { sub: 'eve' } })
  expect(shoal.requests('/authorize').at(-1)?.query).not.toHaveProperty('id_token_hint')
  await app.page.evaluate(() => window.settle(window.client.querySessionStatus({ id_token_hint: 'hint' })))
  expect(shoal.requests('/authorize').at(-1)?.query).toMatchObject({ id_token_hint: 'hint' })
})

test('N16 the query requests an id_token if configured', async ({ app, shoal }) => {
  await app.open({ query_status_response_type: 'id_token' })
  expect(await querySession(app)).toEqual({ value: { session_state: 'state-1', sub: 'ada', sid: 'session-1' } })
  expect(shoal.requests('/authorize')[0]?.query).toMatchObject({ response_type: 'id_token' })
  expect(shoal.requests('/token')).toEqual([])
})

test('S9 a provider without session state yields undefined', async ({ app, shoal }) => {
  shoal.script.authorizationResponse = { session_state: undefined }
  await app.open()
  expect(await querySession(app)).toEqual({ value: undefined })
})

for (const error of ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']) {
  test(`M16 ${error} means an anonymous session if monitored, with any description`, async ({ app, shoal }) => {
    shoal.script.authorization = { error, error_description: 'A description for developers' }
    shoal.script.authorizationResponse = { session_state: 'state-0' }
    await app.open({ monitorAnonymousSession: true })
    expect(await querySession(app)).toEqual({ value: { session_state: 'state-0' } })
  })

  test(`M16 ${error} is rethrown if not monitored`, async ({ app, shoal }) => {
    shoal.script.authorization = { error }
    shoal.script.authorizationResponse = { session_state: 'state-0' }
    await app.open()
    expect(await querySession(app)).toMatchObject({ error: { message: error } })
  })
}

test('M16 rethrows login_required without a session state, and every other error', async ({ app, shoal }) => {
  shoal.script.authorization = { error: 'login_required' }
  await app.open({ monitorAnonymousSession: true })
  expect(await querySession(app)).toMatchObject({ error: { message: 'login_required' } })
  shoal.script.authorization = { error: 'server_error' }
  shoal.script.authorizationResponse = { session_state: 'state-0' }
  expect(await querySession(app)).toMatchObject({ error: { message: 'server_error' } })
})

/** Returns the messages that the session check frame received. */
const listChecks = (shoal: { requests: (path: string) => { query: Record<string, string> }[] }) =>
  shoal.requests('/session-result').map(({ query: { message } }) => message)

/** Signs in, and waits until the frame has confirmed the session. */
async function signInMonitored(app: App, shoal: MisbehavingProvider) {
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
}

test('C6 N5 checks the frame immediately and every 2000 ms, with client and session state', async ({ app, shoal }) => {
  await app.open(monitored)
  await app.page.clock.install()
  await app.signIn()
  await expect.poll(() => listChecks(shoal)).toEqual(['harbour-app state-1'])
  await app.page.clock.runFor(6000)
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThanOrEqual(4)
  expect(new Set(listChecks(shoal))).toEqual(new Set(['harbour-app state-1']))
  expect(await app.events()).toEqual(['userLoaded'])
})

test('N12 S10 monitors the session by default, including that of a stored user', async ({ app, shoal }) => {
  await app.open()
  await app.signIn()
  expect(listChecks(shoal)).toEqual([])
  await app.open({ monitorSession: undefined })
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
})

test('N12 does not monitor the session without monitorSession or without check_session_iframe', async ({
  app,
  shoal,
}) => {
  await app.open()
  await app.signIn()
  await expect(app.page.locator('iframe')).not.toBeAttached()
  shoal.script.metadata = { check_session_iframe: undefined }
  await app.open(monitored)
  await app.signIn()
  await expect(app.page.locator('iframe')).not.toBeAttached()
  expect(listChecks(shoal)).toEqual([])
})

test('C6 loads no frame from plain http, although the provider is the local machine', async ({ app, shoal }) => {
  const warnings = recordWarnings(app)
  shoal.script.metadata = { check_session_iframe: 'http://op.example/checksession' }
  await app.open(monitored)
  await app.signIn()
  await expect
    .poll(() => warnings)
    .toEqual([expect.stringContaining('The session at the provider cannot be monitored')])
  await expect(app.page.locator('iframe')).not.toBeAttached()
})

test('S9 a sign-out at the provider emits userSignedOut and keeps the local user', async ({ app, shoal }) => {
  await app.open(monitored)
  await signInMonitored(app, shoal)
  shoal.script.session = undefined
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
})

test('S9 another user signed in at the provider emits userSignedOut', async ({ app, shoal }) => {
  await app.open(monitored)
  await signInMonitored(app, shoal)
  shoal.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
})

test('S9 a new session of the same user emits userSessionChanged and is monitored', async ({ app, shoal }) => {
  await app.open(monitored)
  await signInMonitored(app, shoal)
  shoal.script.session = { sub: 'ada', sid: 'session-2', state: 'state-2' }
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSessionChanged'])
  await expect.poll(() => listChecks(shoal).at(-1)).toBe('harbour-app state-2')
  shoal.script.session = undefined
  await expect.poll(async () => (await app.events()).at(-1)).toBe('userSignedOut')
})

test('S9 a new state of the same session emits no event', async ({ app, shoal }) => {
  await app.open(monitored)
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
  shoal.script.session = { sub: 'ada', sid: 'session-1', state: 'state-1b' }
  await expect
    .poll(() => listChecks(shoal).filter((message) => message === 'harbour-app state-1b').length)
    .toBeGreaterThan(1)
  expect(await app.events()).toEqual(['userLoaded'])
})

/** Records the warnings of the page. */
function recordWarnings(app: App): string[] {
  const warnings: string[] = []
  app.page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

test('S9 a frame that reports a new session as changed twice ends the monitoring without a sign-out', async ({
  app,
  shoal,
}) => {
  const warnings = recordWarnings(app)
  shoal.script.sessionCheck = 'changed'
  await app.open({ ...monitored, scope: 'openid offline_access' })
  await app.page.clock.install()
  await app.signIn()
  shoal.script.session = undefined
  await expect.poll(() => warnings).toEqual(['Session monitoring is unavailable'])
  await app.page.clock.runFor(60_000)
  await app.page.evaluate(() => window.client.signinSilent())
  await app.page.clock.runFor(60_000)
  expect([listChecks(shoal).length, shoal.requests('/checksession').length]).toEqual([2, 2])
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
  expect([warnings.length, shoal.requests('/authorize').length]).toEqual([1, 1])
  expect(await app.page.locator('iframe').count()).toBe(0)
})

test('S9 a frame that reports a stored session as changed ends the monitoring without a sign-out', async ({
  app,
  shoal,
}) => {
  const warnings = recordWarnings(app)
  shoal.script.sessionCheck = 'changed'
  await app.open(monitored)
  await app.signIn()
  shoal.script.session = undefined
  await app.page.goto(app.url)
  await expect.poll(() => warnings.length).toBeGreaterThan(0)
  expect([await app.events(), shoal.requests('/authorize').length]).toEqual([[], 1])
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
})

test('S9 monitoring continues if a reloaded frame confirms the session', async ({ app, shoal }) => {
  const warnings = recordWarnings(app)
  shoal.script.sessionCheck = 'changed'
  await app.open({ ...monitored, checkSessionInterval: 50 })
  await app.page.route('**/checksession', async (route) => {
    if (listChecks(shoal).length > 0) shoal.script.sessionCheck = 'honest'
    await route.continue()
  })
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(2)
  shoal.script.session = undefined
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
  expect(warnings).toEqual([])
})

test('S9 a sign-out while the page was closed emits userSignedOut on the next load', async ({ app, shoal }) => {
  await app.open(monitored)
  await signInMonitored(app, shoal)
  await app.page.goto(`${app.url}/silence`)
  shoal.script.session = undefined
  await app.page.goto(app.url)
  await expect.poll(() => app.events()).toEqual(['userSignedOut'])
})

test('S9 a frame that reports a confirmed session as changed triggers one query', async ({ app, shoal }) => {
  const warnings = recordWarnings(app)
  await app.open({ ...monitored, checkSessionInterval: 50 })
  await signInMonitored(app, shoal)
  shoal.script.sessionCheck = 'changed'
  await expect.poll(() => warnings).toEqual(['Session monitoring is unavailable'])
  // The query returned the same session.
  expect([await app.events(), shoal.requests('/authorize').length]).toEqual([['userLoaded'], 2])
})

test('N15 an error of the frame stops the checks by default', async ({ app, shoal }) => {
  shoal.script.sessionCheck = 'error'
  await app.open(monitored)
  await app.page.clock.install()
  const warned = app.page.waitForEvent('console', (message) => message.text().includes('session check'))
  await app.signIn()
  await warned
  await app.page.clock.runFor(10_000)
  expect(listChecks(shoal)).toHaveLength(1)
})

test('N15 an error does not stop the checks without stopCheckSessionOnError', async ({ app, shoal }) => {
  shoal.script.sessionCheck = 'error'
  await app.open({ ...monitored, stopCheckSessionOnError: false, checkSessionInterval: 50 })
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(2)
})

test("C6 accepts messages only from the provider's frame", async ({ app, shoal }) => {
  await app.open(monitored)
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
  const requestCount = shoal.requests('/authorize').length
  await app.page.evaluate(() => window.postMessage('changed', '*'))
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(2)
  expect(shoal.requests('/authorize')).toHaveLength(requestCount)
})

test('S10 stops monitoring when the user is removed', async ({ app, shoal }) => {
  await app.open({ ...monitored, checkSessionInterval: 50 })
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
  await app.page.clock.install()
  await app.page.evaluate(() => window.client.removeUser())
  shoal.script.session = undefined
  await app.page.clock.runFor(10_000)
  expect(await app.events()).toEqual(['userLoaded', 'userUnloaded'])
  expect(shoal.requests('/authorize')).toHaveLength(1)
})

test('N13 does not monitor an anonymous session by default', async ({ app, shoal }) => {
  await app.open(monitored)
  await app.page.clock.install()
  await app.page.clock.runFor(10_000)
  expect(shoal.requests()).toEqual([])
})

test('S9 S10 monitors an anonymous session from the start and emits userSignedIn', async ({ app, shoal }) => {
  shoal.script.session = undefined
  shoal.script.anonymousSessionState = 'state-0'
  await app.open({ ...monitored, monitorAnonymousSession: true })
  await expect.poll(() => listChecks(shoal)).toContain('harbour-app state-0')
  shoal.script.session = { sub: 'ada', sid: 'session-1', state: 'state-1' }
  await expect.poll(() => app.events()).toEqual(['userSignedIn'])
  expect(await app.stored()).toBeNull()
})

test('S10 monitors an anonymous session from 1000 ms after the user was removed', async ({ app, shoal }) => {
  await app.open({ ...monitored, monitorAnonymousSession: true })
  await app.signIn()
  await expect.poll(() => listChecks(shoal).length).toBeGreaterThan(0)
  await app.page.clock.install()
  const requestCount = shoal.requests('/authorize').length
  shoal.script.session = undefined
  shoal.script.anonymousSessionState = 'state-0'
  await app.page.clock.pauseAt(Date.now() + 60_000)
  await app.page.evaluate(() => window.client.removeUser())
  await app.page.clock.runFor(999)
  expect(shoal.requests('/authorize')).toHaveLength(requestCount)
  await app.page.clock.runFor(1)
  await app.page.clock.resume()
  await expect.poll(() => listChecks(shoal)).toContain('harbour-app state-0')
})

test('S9 a failed query of an anonymous session emits nothing', async ({ app, shoal }) => {
  shoal.script.session = undefined
  shoal.script.anonymousSessionState = 'state-0'
  await app.open({ ...monitored, monitorAnonymousSession: true })
  await expect.poll(() => listChecks(shoal)).toContain('harbour-app state-0')
  shoal.script.authorization = { error: 'server_error' }
  const requestCount = shoal.requests('/authorize').length
  shoal.script.sessionCheck = 'changed'
  await expect.poll(() => shoal.requests('/authorize').length).toBe(requestCount + 1)
  await expect(app.page.locator('iframe')).toHaveCount(1)
  expect(await app.events()).toEqual([])
})
