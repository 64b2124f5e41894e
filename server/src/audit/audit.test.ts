import * as accounts from '@passport/contract/accounts'
import { confirmDeviceAuthorization, decideDeviceAuthorization } from '@passport/contract/device-authorization'
import * as preferences from '@passport/contract/preferences'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, expect, test } from 'vitest'
import * as consents from '../accounts/consent-store.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'

let harbour: RunningProvider
let service: TestService

beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport', clientSecret: 'a secret that Harbour gave us' }
  harbour = await startOidcProvider({ ...client, redirectUri: `http://localhost:${port}/login/callback/harbour` })
  onFileEnd(harbour.stop)
  service = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...client, id: 'harbour', name: 'Harbour ID', kind: 'oidc', issuer: harbour.issuer },
    ]),
  })
})

/** A browser of `eve`. */
function openEveBrowser() {
  const browser = createTestBrowser(service.url)
  const call = createBrowserCall(service.url, browser)
  const signIn = async (password = demoPassword) =>
    browser.submit(await browser.open('/login?idp=local'), { name: 'eve', password })
  return { browser, call, signIn }
}

async function startDevice() {
  const body = new URLSearchParams({ client_id: 'passport-device-test', scope: 'openid', passport_pin: 'required' })
  const response = await fetch(`${service.url}/connect/deviceauthorization`, { method: 'POST', body })
  return (await response.json()) as { user_code: string; device_code: string }
}

test('every account event is recorded with its actor, origin, and the values before and after', async () => {
  const { id: eve } = await service.as('eve')
  await service.sql`delete from sessions where user_id = ${eve}`
  const here = openEveBrowser()
  await here.signIn('not the password')
  await here.signIn()
  await openEveBrowser().signIn()

  const key = { params: { userId: 'me', key: 'theme' } }
  await here.call(preferences.putPreference, { ...key, body: 'dark' })
  await here.call(preferences.putPreference, { ...key, body: 'light' })
  await here.call(preferences.deletePreference, key)

  const { authorizationUrl } = await here.call(accounts.linkLogin, { body: { idp: 'harbour' } })
  await here.browser.submit(await here.browser.open(authorizationUrl), { name: 'Eve Moreau' })
  const linked = (await here.call(accounts.listLogins, {})).find(({ provider }) => provider.id === 'harbour')
  await here.call(accounts.unlinkLogin, { params: { id: linked?.id ?? '' } })

  await consents.addScopes(service.sql, eve, 'passport-dev-tokens', ['openid'])
  const [consent] = await here.call(accounts.listConsents, {})
  await here.call(accounts.revokeConsent, { params: { id: consent?.id ?? '' } })

  const deniedDevice = await startDevice()
  await here.call(decideDeviceAuthorization, { body: { code: deniedDevice.user_code, action: 'deny' } })
  const approvedDevice = await startDevice()
  const { pin } = await here.call(decideDeviceAuthorization, {
    body: { code: approvedDevice.user_code, action: 'approve' },
  })
  await here.call(confirmDeviceAuthorization, { body: { deviceCode: approvedDevice.device_code, pin: pin ?? '' } })

  const findOtherSession = async () =>
    (await here.call(accounts.listSessions, {})).find(({ current }) => !current)?.id ?? ''
  await here.call(accounts.revokeSession, { params: { id: await findOtherSession() }, query: {} })
  await openEveBrowser().signIn()
  await here.call(accounts.revokeOtherSessions, {})
  await openEveBrowser().signIn()
  await here.call(accounts.signOut, { body: { everywhere: true } })
  const later = openEveBrowser()
  await later.signIn()
  await later.call(accounts.signOut, { body: {} })

  const recorded = await service.sql`
    select action, actor_id as actor, before, after, ip, trace_id from audit_events
    where coalesce(actor_id, target_id) = ${eve} or target_id = ${`${eve}/theme`}
      or (target_kind = 'directory-person' and action = 'directory.password-refused')
    order by id`
  const events = recorded.map(({ action, before, after }) => ({ action, before, after }))
  const revoked = { action: 'session.revoked', before: { idp: 'local', session: expect.any(String) }, after: null }
  const signedOut = { action: 'signout', before: null, after: { idp: 'local', client: null } }
  const signedIn = { action: 'signin.succeeded', before: null, after: expect.objectContaining({ idp: 'local' }) }
  expect(events.filter(({ action }) => !/^(user|role)\./.test(action))).toEqual([
    { action: 'directory.password-refused', before: null, after: expect.anything() },
    signedIn,
    signedIn,
    { action: 'preference.saved', before: null, after: { value: 'dark' } },
    { action: 'preference.saved', before: { value: 'dark' }, after: { value: 'light' } },
    { action: 'preference.removed', before: { value: 'light' }, after: null },
    { action: 'login.linked', before: null, after: expect.objectContaining({ idp: 'harbour' }) },
    { action: 'login.unlinked', before: expect.objectContaining({ idp: 'harbour' }), after: null },
    { action: 'grant.revoked', before: { client: 'passport-dev-tokens', scopes: 'openid' }, after: null },
    { action: 'device.denied', before: null, after: expect.objectContaining({ client: 'passport-device-test' }) },
    { action: 'device.approved', before: null, after: expect.objectContaining({ scopes: 'openid' }) },
    { action: 'device.confirmed', before: null, after: { client: 'passport-device-test', scopes: 'openid' } },
    revoked,
    signedIn,
    revoked,
    signedIn,
    signedOut,
    { action: 'signout.everywhere', before: null, after: { sessions: 1 } },
    signedIn,
    signedOut,
  ])
  for (const { action, actor, ip, traceId } of recorded.slice(-5)) {
    expect({ action, actor, ip }).toEqual({ action, actor: eve, ip: '127.0.0.1' })
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
  }
})
