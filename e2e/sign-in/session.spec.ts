import { type App, expect, test } from './app.ts'

const querySession = (app: App) => app.page.evaluate(() => window.settle(window.client.querySessionStatus()))
const monitored = { monitorSession: true }
/** For tests that wait for a later check; the default interval is two seconds. */
const oftenMonitored = { monitorSession: true, checkSessionInterval: 50 }

test('the session query returns the session without signing in', async ({ app, op }) => {
  await app.open()
  expect(await querySession(app)).toEqual({ value: { session_state: 'state-1', sub: 'ada', sid: 'session-1' } })
  expect([await app.stored(), await app.events(), op.requests('/userinfo')]).toEqual([null, [], []])
  expect(op.requests('/authorize')[0]?.query).toMatchObject({
    prompt: 'none',
    scope: 'openid',
    response_type: 'code',
  })
})

test('the query sends no hint unless the call has one, so that it returns the user signed in now', async ({
  app,
  op,
}) => {
  await app.open()
  await app.signIn()
  op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  expect(await querySession(app)).toMatchObject({ value: { sub: 'eve' } })
  expect(op.requests('/authorize').at(-1)?.query).not.toHaveProperty('id_token_hint')
  await app.page.evaluate(() => window.settle(window.client.querySessionStatus({ id_token_hint: 'hint' })))
  expect(op.requests('/authorize').at(-1)?.query).toMatchObject({ id_token_hint: 'hint' })
})

test('the query requests an id_token if configured', async ({ app, op }) => {
  await app.open({ query_status_response_type: 'id_token' })
  expect(await querySession(app)).toEqual({ value: { session_state: 'state-1', sub: 'ada', sid: 'session-1' } })
  expect(op.requests('/authorize')[0]?.query).toMatchObject({ response_type: 'id_token' })
  expect(op.requests('/token')).toEqual([])
})

test('a provider without session state yields undefined', async ({ app, op }) => {
  op.script.authorizationResponse = { session_state: undefined }
  await app.open()
  expect(await querySession(app)).toEqual({ value: undefined })
})

for (const error of ['login_required', 'consent_required', 'interaction_required', 'account_selection_required']) {
  test(`${error} means an anonymous session if monitored, with any description`, async ({ app, op }) => {
    op.script.authorization = { error, error_description: 'A description for developers' }
    op.script.authorizationResponse = { session_state: 'state-0' }
    await app.open({ monitorAnonymousSession: true })
    expect(await querySession(app)).toEqual({ value: { session_state: 'state-0' } })
  })

  test(`${error} is rethrown if not monitored`, async ({ app, op }) => {
    op.script.authorization = { error }
    op.script.authorizationResponse = { session_state: 'state-0' }
    await app.open()
    expect(await querySession(app)).toMatchObject({ error: { message: error } })
  })
}

test('rethrows login_required without a session state, and every other error', async ({ app, op }) => {
  op.script.authorization = { error: 'login_required' }
  await app.open({ monitorAnonymousSession: true })
  expect(await querySession(app)).toMatchObject({ error: { message: 'login_required' } })
  op.script.authorization = { error: 'server_error' }
  op.script.authorizationResponse = { session_state: 'state-0' }
  expect(await querySession(app)).toMatchObject({ error: { message: 'server_error' } })
})

/** Returns the messages that the session check frame received. */
const listChecks = (op: { requests: (path: string) => { query: Record<string, string> }[] }) =>
  op.requests('/session-result').map(({ query: { message } }) => message)

/** Waits until the client knows that the frame has confirmed the session: only then it trusts a report of a change. */
const waitUntilConfirmed = (app: App, sessionState = 'state-1') =>
  expect
    .poll(() =>
      app.page.evaluate(
        ({ authority, client_id }) => sessionStorage.getItem(`oidc.session:${authority}:${client_id}`),
        app.settings,
      ),
    )
    .toBe(sessionState)

async function signInMonitored(app: App) {
  await app.signIn()
  await waitUntilConfirmed(app)
}

test('checks the frame immediately and every 2000 ms, with client and session state', async ({ app, op }) => {
  await app.open(monitored)
  await app.page.clock.install()
  await app.signIn()
  await expect.poll(() => listChecks(op)).toEqual(['harbour-app state-1'])
  await app.page.clock.runFor(6000)
  await expect.poll(() => listChecks(op).length).toBeGreaterThanOrEqual(4)
  expect(new Set(listChecks(op))).toEqual(new Set(['harbour-app state-1']))
  expect(await app.events()).toEqual(['userLoaded'])
})

test('monitors the session by default, including that of a stored user', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  expect(listChecks(op)).toEqual([])
  await app.open({ monitorSession: undefined })
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(0)
})

test('does not monitor the session without monitorSession or without check_session_iframe', async ({ app, op }) => {
  await app.open()
  await app.signIn()
  await expect(app.page.locator('iframe')).not.toBeAttached()
  op.script.metadata = { check_session_iframe: undefined }
  await app.open(monitored)
  await app.signIn()
  await expect(app.page.locator('iframe')).not.toBeAttached()
  expect(listChecks(op)).toEqual([])
})

test('loads no frame from plain http, although the provider is the local machine', async ({ app, op }) => {
  const warnings = recordWarnings(app)
  op.script.metadata = { check_session_iframe: 'http://op.example/checksession' }
  await app.open(monitored)
  await app.signIn()
  await expect
    .poll(() => warnings)
    .toEqual([expect.stringContaining('The session at the provider cannot be monitored')])
  await expect(app.page.locator('iframe')).not.toBeAttached()
})

test('a sign-out at the provider emits userSignedOut and keeps the local user', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await signInMonitored(app)
  op.script.session = undefined
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
})

test('another user signed in at the provider emits userSignedOut', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await signInMonitored(app)
  op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
})

test('a new session of the same user emits userSessionChanged and is monitored', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await signInMonitored(app)
  op.script.session = { sub: 'ada', sid: 'session-2', state: 'state-2' }
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSessionChanged'])
  await expect.poll(() => listChecks(op).at(-1)).toBe('harbour-app state-2')
  op.script.session = undefined
  await expect.poll(async () => (await app.events()).at(-1)).toBe('userSignedOut')
})

test('a new state of the same session emits no event', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await signInMonitored(app)
  op.script.session = { sub: 'ada', sid: 'session-1', state: 'state-1b' }
  await expect
    .poll(() => listChecks(op).filter((message) => message === 'harbour-app state-1b').length)
    .toBeGreaterThan(1)
  expect(await app.events()).toEqual(['userLoaded'])
})

/** Records the warnings of the page. */
function recordWarnings(app: App): string[] {
  const warnings: string[] = []
  app.page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

test('a frame that reports a new session as changed twice ends the monitoring without a sign-out', async ({
  app,
  op,
}) => {
  const warnings = recordWarnings(app)
  op.script.sessionCheck = 'changed'
  await app.open({ ...monitored, scope: 'openid offline_access' })
  await app.page.clock.install()
  await app.signIn()
  op.script.session = undefined
  await expect.poll(() => warnings).toEqual(['Session monitoring is unavailable'])
  await app.page.clock.runFor(60_000)
  await app.page.evaluate(() => window.client.signinSilent())
  await app.page.clock.runFor(60_000)
  expect([listChecks(op).length, op.requests('/checksession').length]).toEqual([2, 2])
  expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
  expect([warnings.length, op.requests('/authorize').length]).toEqual([1, 1])
  expect(await app.page.locator('iframe').count()).toBe(0)
})

test('a frame that reports a stored session as changed ends the monitoring without a sign-out', async ({ app, op }) => {
  const warnings = recordWarnings(app)
  op.script.sessionCheck = 'changed'
  await app.open(monitored)
  await app.signIn()
  op.script.session = undefined
  await app.page.goto(app.url)
  await expect.poll(() => warnings.length).toBeGreaterThan(0)
  expect([await app.events(), op.requests('/authorize').length]).toEqual([[], 1])
  expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
})

test('monitoring continues if a reloaded frame confirms the session', async ({ app, op }) => {
  const warnings = recordWarnings(app)
  op.script.sessionCheck = 'changed'
  await app.open(oftenMonitored)
  await app.page.route('**/checksession', async (route) => {
    if (listChecks(op).length > 0) op.script.sessionCheck = 'honest'
    await route.continue()
  })
  await signInMonitored(app)
  op.script.session = undefined
  await expect.poll(() => app.events()).toEqual(['userLoaded', 'userSignedOut'])
  expect(warnings).toEqual([])
})

test('a sign-out while the page was closed emits userSignedOut on the next load', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await signInMonitored(app)
  await app.page.goto(`${app.url}/silence`)
  op.script.session = undefined
  await app.page.goto(app.url)
  await expect.poll(() => app.events()).toEqual(['userSignedOut'])
})

test('a frame that reports a confirmed session as changed triggers one query', async ({ app, op }) => {
  const warnings = recordWarnings(app)
  await app.open(oftenMonitored)
  await signInMonitored(app)
  op.script.sessionCheck = 'changed'
  await expect.poll(() => warnings).toEqual(['Session monitoring is unavailable'])
  // The query returned the same session.
  expect([await app.events(), op.requests('/authorize').length]).toEqual([['userLoaded'], 2])
})

test('an error of the frame stops the checks by default', async ({ app, op }) => {
  op.script.sessionCheck = 'error'
  await app.open(monitored)
  await app.page.clock.install()
  const warned = app.page.waitForEvent('console', (message) => message.text().includes('session check'))
  await app.signIn()
  await warned
  await app.page.clock.runFor(10_000)
  expect(listChecks(op)).toHaveLength(1)
})

test('an error does not stop the checks without stopCheckSessionOnError', async ({ app, op }) => {
  op.script.sessionCheck = 'error'
  await app.open({ ...oftenMonitored, stopCheckSessionOnError: false })
  await app.signIn()
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(2)
})

test("accepts messages only from the provider's frame", async ({ app, op }) => {
  await app.open(oftenMonitored)
  await app.signIn()
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(0)
  const requestCount = op.requests('/authorize').length
  await app.page.evaluate(() => window.postMessage('changed', '*'))
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(2)
  expect(op.requests('/authorize')).toHaveLength(requestCount)
})

test('stops monitoring when the user is removed', async ({ app, op }) => {
  await app.open(oftenMonitored)
  await app.signIn()
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(0)
  await app.page.clock.install()
  await app.page.evaluate(() => window.client.removeUser())
  op.script.session = undefined
  await app.page.clock.runFor(10_000)
  expect(await app.events()).toEqual(['userLoaded', 'userUnloaded'])
  expect(op.requests('/authorize')).toHaveLength(1)
})

test('does not monitor an anonymous session by default', async ({ app, op }) => {
  await app.open(monitored)
  await app.page.clock.install()
  await app.page.clock.runFor(10_000)
  expect(op.requests()).toEqual([])
})

test('monitors an anonymous session from the start and emits userSignedIn', async ({ app, op }) => {
  op.script.session = undefined
  op.script.anonymousSessionState = 'state-0'
  await app.open({ ...oftenMonitored, monitorAnonymousSession: true })
  await expect.poll(() => listChecks(op)).toContain('harbour-app state-0')
  op.script.session = { sub: 'ada', sid: 'session-1', state: 'state-1' }
  await expect.poll(() => app.events()).toEqual(['userSignedIn'])
  expect(await app.stored()).toBeNull()
})

test('monitors an anonymous session from 1000 ms after the user was removed', async ({ app, op }) => {
  await app.open({ ...monitored, monitorAnonymousSession: true })
  await app.signIn()
  await expect.poll(() => listChecks(op).length).toBeGreaterThan(0)
  await app.page.clock.install()
  const requestCount = op.requests('/authorize').length
  op.script.session = undefined
  op.script.anonymousSessionState = 'state-0'
  await app.page.clock.pauseAt(Date.now() + 60_000)
  await app.page.evaluate(() => window.client.removeUser())
  await app.page.clock.runFor(999)
  expect(op.requests('/authorize')).toHaveLength(requestCount)
  await app.page.clock.runFor(1)
  await app.page.clock.resume()
  await expect.poll(() => listChecks(op)).toContain('harbour-app state-0')
})

test('a failed query of an anonymous session emits nothing', async ({ app, op }) => {
  op.script.session = undefined
  op.script.anonymousSessionState = 'state-0'
  await app.open({ ...oftenMonitored, monitorAnonymousSession: true })
  await expect.poll(() => listChecks(op)).toContain('harbour-app state-0')
  op.script.authorization = { error: 'server_error' }
  const requestCount = op.requests('/authorize').length
  op.script.sessionCheck = 'changed'
  await expect.poll(() => op.requests('/authorize').length).toBe(requestCount + 1)
  await expect(app.page.locator('iframe')).toHaveCount(1)
  expect(await app.events()).toEqual([])
})
