import { countSignIns, listAuditEntries } from '@passport/contract/audit'
import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import { explainReason } from '@passport/contract/sign-in-reasons'
import { getSignInTrace, listSignInTraces, type SignInTrace } from '@passport/contract/sign-in-traces'
import { supportCodeOf } from '@passport/contract/support-code'
import { createTestBrowser, type ShownPage } from '@passport/world/browser'
import type { Fault } from '@passport/world/oidc-provider/faults'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import * as store from './store.ts'

const shopUri = 'https://shop.example/callback'
const shopSecret = 'the secret of the shop, which is long'

let service: TestService
let ada: Visitor
let shop: client.Configuration

beforeAll(async () => {
  const port = await findFreePort()
  const provider = { clientId: 'passport-at-harbour', clientSecret: 'the client secret at Harbour ID' }
  const start = async (id: string, name: string) => {
    const redirectUri = `http://localhost:${port}/login/callback/${id}`
    const { stop, issuer } = await startOidcProvider({ ...provider, redirectUri })
    onFileEnd(stop)
    return { ...provider, kind: 'oidc', id, name, issuer }
  }
  service = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...(await start('harbour', 'Harbour ID')), signUp: 'open' },
      { ...(await start('closed', 'Closed ID')), signUp: 'invited' },
      { ...provider, kind: 'oidc', id: 'gone', name: 'Gone ID', issuer: 'http://localhost:1' },
    ]),
    CLIENTS: JSON.stringify([
      {
        clientId: 'shop',
        clientName: 'Shop',
        clientSecret: shopSecret,
        redirectUris: [shopUri],
        deviceFlow: true,
        consent: 'once',
      },
    ]),
  })
  ada = await service.as('ada')
  shop = await client.discovery(new URL(service.url), 'shop', shopSecret, undefined, {
    execute: [client.allowInsecureRequests],
  })
})

const openBrowser = () => createTestBrowser(service.url)
const getTrace = (supportCode: string) => ada.call(getSignInTrace, { params: { supportCode } })
const readCode = ({ text }: ShownPage) => /Support code <code>([0-9A-F-]{9})<\/code>/.exec(text)?.[1] ?? 'no code'
const codeOf = (response: { headers: Headers }) => supportCodeOf(response.headers.get('x-trace-id') ?? '')

/** Returns the steps of a trace: the kind of a part, then its steps, with `!` for a failed one. */
const listSteps = ({ parts }: SignInTrace) =>
  parts.map(({ kind, steps }) =>
    [kind, ...steps.map(({ name, isFailed, detail }) => `${isFailed ? '!' : ''}${detail['claim'] ?? name}`)].join(' '),
  )

/** Returns the failed step of the request with the support code. */
function findFailedStep({ parts, supportCode }: SignInTrace) {
  const part = parts.find((part) => part.supportCode === supportCode)
  return part?.steps.find(({ isFailed }) => isFailed)
}

async function signInAtHarbour(fault: Fault = 'none', from = '/login?idp=harbour') {
  const browser = openBrowser()
  const page = await browser.submit(await browser.open(from), { name: 'Hana Harbour', fault })
  return { browser, page }
}

async function buildRequest(parameters: Record<string, string> = {}) {
  const codeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(shop, {
    redirect_uri: shopUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url: url.href, codeVerifier }
}

describe('a sign-in at a provider', () => {
  test.for<[Fault, reason: string, failed: object]>([
    ['cancel', 'cancelled', { name: 'code-redeemed' }],
    ['server-error', 'provider-refused', { name: 'code-redeemed' }],
    ['wrong-response-issuer', 'issuer-wrong', { name: 'code-redeemed' }],
    ['wrong-token-issuer', 'issuer-wrong', { name: 'claim-checked', detail: { claim: 'iss' } }],
    [
      'wrong-audience',
      'answer-invalid',
      { name: 'claim-checked', detail: { claim: 'aud', expected: 'passport-at-harbour' } },
    ],
    ['wrong-nonce', 'answer-invalid', { name: 'claim-checked', detail: { claim: 'nonce', received: 'another' } }],
    ['forged-signature', 'answer-invalid', { name: 'claim-checked', detail: { claim: 'signature' } }],
    ['expired', 'clock-skew', { name: 'claim-checked', detail: { claim: 'exp' } }],
    ['future', 'clock-skew', { name: 'claim-checked' }],
    ['spent-code', 'code-refused', { name: 'code-redeemed' }],
    ['no-token-endpoint', 'provider-unreachable', { name: 'code-redeemed' }],
    ['wrong-client', 'provider-misconfigured', { name: 'code-redeemed' }],
  ])('with the fault %s fails as %s at the step that names it', async ([fault, reason, failed]) => {
    const { page } = await signInAtHarbour(fault)
    const trace = await getTrace(readCode(page))
    expect(trace).toMatchObject({ result: 'failed', reason, provider: 'harbour', explanation: explainReason(reason) })
    expect(trace.explanation?.fix).toBeTruthy()
    expect(trace.parts.map(({ kind }) => kind)).toEqual(['start', 'callback'])
    expect(findFailedStep(trace)).toMatchObject(failed)
  })

  test('that succeeds has every step, from the request to the session, with the checks of each claim', async () => {
    const { page } = await signInAtHarbour()
    expect(page.status).toBe(200)
    const [row] = await listRows('callback')
    const trace = await getTrace(row?.traceId ?? '')
    expect(trace).toMatchObject({ result: 'succeeded', reason: null, explanation: null, provider: 'harbour' })
    expect(trace.user?.name).toBe('Hana Harbour')
    expect(listSteps(trace)).toEqual([
      'start request-received provider-chosen redirected',
      'callback response-received attempt-matched code-redeemed exp iss aud auth_time nonce signature account-found account-admitted session-started',
    ])
  })

  test('that cannot start fails at the provider', async () => {
    const page = await openBrowser().open('/login?idp=gone&login_hint=jo.secret%40contoso.example')
    const trace = await getTrace(readCode(page))
    expect(trace).toMatchObject({ reason: 'provider-unreachable', domain: 'contoso.example' })
    expect(findFailedStep(trace)).toMatchObject({ name: 'provider-contacted' })
    expect(JSON.stringify(trace)).not.toContain('jo.secret')
  })

  test('without an account is refused at the admission', async () => {
    const { page } = await signInAtHarbour('none', '/login?idp=closed')
    const trace = await getTrace(readCode(page))
    expect(trace).toMatchObject({ result: 'failed', reason: 'not-invited', user: null })
    expect(findFailedStep(trace)).toMatchObject({ name: 'account-admitted' })
  })

  test('of a disabled account fails at the account', async () => {
    await signInAtHarbour()
    await service.sql`update users set disabled_at = now() where display_name = 'Hana Harbour'`
    const { page } = await signInAtHarbour()
    const trace = await getTrace(readCode(page))
    expect(trace).toMatchObject({ reason: 'account-disabled', user: { name: 'Hana Harbour' } })
    expect(findFailedStep(trace)).toMatchObject({ name: 'account-found' })
    await service.sql`update users set disabled_at = null where display_name = 'Hana Harbour'`
  })

  test('of another browser, and a repeated one, fail at the state', async () => {
    const { browser } = await signInAtHarbour()
    const callback = browser.visitedUrls.find((url) => url.includes('/login/callback/')) ?? ''
    const forged = await getTrace(readCode(await openBrowser().open(callback)))
    expect(forged).toMatchObject({ reason: 'state-unknown' })
    expect(findFailedStep(forged)).toMatchObject({ name: 'attempt-matched' })
    // The forged request is found with the sign-in that its state belongs to.
    expect(forged.parts.map(({ kind }) => kind)).toEqual(['start', 'callback', 'callback'])
    browser.setCookie(service.services.http.sessionCookie, 'ended')
    const repeated = await getTrace(readCode(await browser.open(callback)))
    expect(repeated).toMatchObject({ reason: 'answer-replayed' })
    expect(findFailedStep(repeated)).toMatchObject({ name: 'response-unused' })
  })
})

const listRows = (kind: string) =>
  service.services.traces
    .flush()
    .then(
      () =>
        service.sql<
          { traceId: string }[]
        >`select trace_id from sign_in_traces where kind = ${kind} order by at desc limit 5`,
    )

describe('the built-in directory', () => {
  test('records a wrong password with the attempt, and shows a support code on the form', async () => {
    const browser = openBrowser()
    const page = await browser.submit(await browser.open('/login?idp=local'), { name: 'eve', password: 'a wrong one' })
    const trace = await getTrace(readCode(page))
    expect(trace).toMatchObject({ reason: 'password-wrong', provider: 'local', user: { name: 'Eve Moreau' } })
    expect(listSteps(trace)).toEqual([
      'start request-received provider-chosen form-shown',
      'directory request-received !password-checked',
    ])
    const cancelled = await browser.submit(page, { name: 'eve', cancel: 'yes' })
    expect(await getTrace(readCode(cancelled))).toMatchObject({ reason: 'cancelled' })
  })

  test('records an expired form and a sign-up without an invitation', async () => {
    expect(await getTrace(readCode(await openBrowser().open('/idp/login/unknown')))).toMatchObject({
      reason: 'directory-sign-in-expired',
    })
    expect(await getTrace(readCode(await openBrowser().open('/idp/signup')))).toMatchObject({ reason: 'not-invited' })
    expect(await getTrace(readCode(await openBrowser().open('/idp/signup/code')))).toMatchObject({
      reason: 'sign-up-expired',
    })
  })
})

describe('a support code', () => {
  const failWith = (traceparent: string | undefined, path: string) =>
    fetch(service.url + path, {
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document', ...(traceparent && { traceparent }) },
    })
  const codeOn = async (response: Response) => readCode({ text: await response.text() } as ShownPage)
  const unknownState = '/login/callback/harbour?code=x&state=foreign'
  const unknownClient = '/connect/authorize?client_id=unknown'

  test.for([
    [unknownState, unknownClient],
    [unknownClient, unknownState],
  ] as const)('of a failed %s keeps its trace when a later request sends its trace id', async ([path, later]) => {
    const response = await failWith(undefined, path)
    const traceId = response.headers.get('x-trace-id') ?? ''
    const code = await codeOn(response)
    expect(code).toBe(supportCodeOf(traceId))
    const trace = await getTrace(code)
    for (const sent of [traceId, `${traceId.slice(0, 8)}${'0'.repeat(23)}1`]) {
      // Another state, since the requests of one state belong together.
      const copy = await failWith(`00-${sent}-00f067aa0ba902b7-01`, later.replace('foreign', 'another'))
      expect(copy.headers.get('x-trace-id')).toBe(sent)
      expect(await codeOn(copy)).not.toBe(code)
    }
    expect(await getTrace(code)).toEqual(trace)
    expect(await getTrace(traceId.toUpperCase())).toEqual(trace)
    const { items } = await ada.call(listAuditEntries, { query: { supportCode: code, limit: 5 } })
    // An unknown state is not in the audit log.
    expect(items.map(({ reason }) => reason)).toEqual(path === unknownClient ? [trace.reason] : [])
  })

  test('finds the request of a caller with a trace id of its own, and so does that id', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const code = await codeOn(await failWith(`00-${traceId}-00f067aa0ba902b7-01`, `${unknownState}1`))
    expect(await getTrace(code)).toMatchObject({ supportCode: code, parts: [{ traceId, supportCode: code }] })
    expect(await getTrace(traceId)).toEqual(await getTrace(code))
  })
})

describe('a request of an application', () => {
  test.for<[Record<string, string>, reason: string, step: string]>([
    [{ client_id: 'unknown' }, 'invalid_client', 'application-found'],
    [{ redirect_uri: 'https://evil.example/callback?token=1' }, 'invalid_redirect_uri', 'parameters-checked'],
    [{ response_type: 'token' }, 'unsupported_response_type', 'parameters-checked'],
    [{ code_challenge: '' }, 'invalid_request', 'parameters-checked'],
    [{ resource: 'https://unknown.example' }, 'invalid_target', 'parameters-checked'],
  ])('with %o fails as %s', async ([parameters, reason, step]) => {
    const response = await openBrowser().send((await buildRequest(parameters)).url)
    const trace = await getTrace(codeOf(response))
    expect(trace).toMatchObject({ result: 'failed', reason, explanation: explainReason(reason) })
    expect(findFailedStep(trace)).toMatchObject({ name: step })
    const { items } = await ada.call(listAuditEntries, { query: { supportCode: codeOf(response), limit: 5 } })
    expect(items.map(({ action, reason }) => [action, reason])).toEqual([['signin.failed', reason]])
    expect(JSON.stringify(trace)).not.toContain('token=1')
  })

  test('that is silent has a trace if a signed-in user must sign in again, and none from a stranger', async () => {
    const browser = openBrowser()
    await browser.submit(await browser.open('/login?idp=local'), { name: 'dev', password: demoPassword })
    const { url } = await buildRequest({ prompt: 'none', max_age: '0' })
    const code = codeOf(await browser.send(url))
    const trace = await getTrace(code)
    expect(trace).toMatchObject({ reason: 'login_required', explanation: explainReason('login_required') })
    expect(findFailedStep(trace)).toMatchObject({ name: 'session-found' })
    expect((await ada.call(listAuditEntries, { query: { supportCode: code, limit: 5 } })).items).toEqual([])
    await expect(getTrace(codeOf(await openBrowser().send(url)))).rejects.toMatchObject({ status: 404 })
  })

  test('that succeeds is one trace from the application to its tokens', async () => {
    const browser = openBrowser()
    const { url, codeVerifier } = await buildRequest()
    let page = await browser.open(url)
    page = await browser.submit(
      await browser.open(page.text.match(/href="(\/login\?[^"]*idp=local[^"]*)"/)?.[1]?.replaceAll('&amp;', '&') ?? ''),
      { name: 'dev', password: demoPassword },
    )
    const response = await browser.send(`/connect/interaction/${/interaction\/([\w-]+)/.exec(page.url)?.[1]}/consent`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        answer: 'allow',
        question: /name="question" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
      }),
    })
    const callback = (await browser.send(response.headers.get('location') ?? '')).headers.get('location') ?? ''
    const redeem = () => client.authorizationCodeGrant(shop, new URL(callback), { pkceCodeVerifier: codeVerifier })
    await redeem()
    const [row] = await listRows('token')
    const trace = await getTrace(row?.traceId ?? '')
    expect(trace).toMatchObject({
      result: 'succeeded',
      client: { name: 'Shop' },
      user: { name: 'Dev Patel' },
      provider: 'local',
    })
    expect(listSteps(trace)).toEqual([
      'authorization request-received application-found parameters-checked user-needed',
      'start request-received application-found provider-chosen form-shown',
      'directory request-received password-checked account-found session-started',
      expect.stringMatching(/^authorization request-received application-found parameters-checked user-needed/),
      'consent consent-asked consent-decided',
      'authorization request-received application-found parameters-checked session-found code-issued',
      'token request-received client-authenticated grant-checked tokens-issued',
    ])
    // A spent code is refused, and found with its sign-in.
    await expect(redeem()).rejects.toThrow()
    const [refused] = await listRows('token')
    const failed = await getTrace(refused?.traceId ?? '')
    expect(failed).toMatchObject({ reason: 'invalid_grant', client: { name: 'Shop' } })
    expect(failed.parts).toHaveLength(8)
    const text = JSON.stringify(failed)
    for (const secret of [new URL(callback).searchParams.get('code') ?? '', codeVerifier, demoPassword, shopSecret])
      expect(text).not.toContain(secret)
  })

  test('with a wrong secret fails at the token endpoint', async () => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'x', redirect_uri: shopUri })
    const headers = { authorization: `Basic ${btoa('shop:wrong')}` }
    const response = await fetch(`${service.url}/connect/token`, { method: 'POST', body, headers })
    const trace = await getTrace(codeOf(response))
    expect(trace).toMatchObject({ reason: 'invalid_client', client: { name: 'Shop' } })
    expect(findFailedStep(trace)).toMatchObject({ name: 'client-authenticated' })
  })

  test('that the user opens too late has a trace', async () => {
    const page = await openBrowser().open('/connect/interaction/unknown')
    expect(await getTrace(readCode(page))).toMatchObject({ reason: 'interaction-expired' })
  })
})

describe('a device', () => {
  const start = async () => {
    const body = new URLSearchParams({ scope: 'openid' })
    const headers = { authorization: `Basic ${btoa(`shop:${encodeURIComponent(shopSecret)}`)}` }
    const response = await fetch(`${service.url}/connect/deviceauthorization`, { method: 'POST', body, headers })
    return (await response.json()) as { user_code: string; device_code: string }
  }

  test('that the user denies has one trace, of all its requests', async () => {
    const { user_code: code } = await start()
    await ada.call(decideDeviceAuthorization, { body: { code, action: 'deny' } })
    const [row] = await listRows('device-approval')
    const trace = await getTrace(row?.traceId ?? '')
    expect(trace).toMatchObject({ result: 'failed', reason: 'access_denied' })
    expect(listSteps(trace)).toEqual([
      'device-request request-received client-authenticated device-shown',
      'device-approval !device-decided',
    ])
  })

  test('with an unknown code fails at the approval', async () => {
    const response = await ada.fetch('/passport/deviceauthorization/BCDF-GHJK')
    expect(response.status).toBe(404)
    expect(await getTrace(codeOf(response))).toMatchObject({ reason: 'device-code-not-found' })
  })
})

test('an error page has a button that copies its code; only administrators see the link to the trace', async () => {
  const { url } = await buildRequest({ client_id: 'unknown' })
  const anyone = await openBrowser().open(url)
  expect(anyone.text).toMatch(/<button type="button" class="plain" data-copy="[0-9A-F-]{9}"[^>]* hidden>Copy</)
  expect(anyone.text).toContain('src="/problems/copy-support-code.js"')
  expect(anyone.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect((await fetch(`${service.url}/problems/copy-support-code.js`)).headers.get('content-type')).toMatch(
    /javascript/,
  )
  const open = async (visitor: Visitor, path: string) => {
    const browser = openBrowser()
    const [name = '', value = ''] = visitor.cookie.split('=')
    browser.setCookie(name, value)
    return browser.open(path)
  }
  for (const path of [url, '/login?idp=gone']) {
    const page = await open(ada, path)
    expect(page.text).toContain(`href="/app/admin/audit/signins/trace?q=${readCode(page)}"`)
    const ofUser = await open(await service.as('eve'), path)
    for (const { text } of [anyone, ofUser]) expect(text).not.toContain('signins/trace')
  }
})

test('the consent of a tenant with an unknown link has a trace', async () => {
  const response = await ada.fetch('/passport/connect/entra/adminconsent/callback?state=x&admin_consent=True', {
    headers: { accept: 'text/html' },
  })
  const trace = await getTrace(codeOf(response))
  expect(trace).toMatchObject({ reason: 'consent-state-unknown', parts: [{ kind: 'tenant-consent' }] })
})

describe('the list of failures', () => {
  test('finds those of a reason and an application, newest first, in pages', async () => {
    const { url } = await buildRequest({ resource: 'https://unknown.example' })
    for (let n = 0; n < 3; n++) await openBrowser().send(url)
    const query = { reasons: 'invalid_target consent_required', client: 'shop' }
    const first = await ada.call(listSignInTraces, { query: { ...query, limit: 2 } })
    expect(first.items).toHaveLength(2)
    expect(first.items[0]).toMatchObject({ kind: 'authorization', reason: 'invalid_target', client: { name: 'Shop' } })
    const after = new URLSearchParams(first.next?.split('?')[1]).get('after') ?? ''
    const second = await ada.call(listSignInTraces, { query: { ...query, limit: 2, after } })
    const ids = [...first.items, ...second.items].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(second.items.length).toBeGreaterThan(0)
  })

  test('has no trace of an unknown or invalid code', async () => {
    await expect(getTrace('0000-0000')).rejects.toMatchObject({ status: 404, body: { code: 'trace-not-found' } })
    await expect(getTrace('nonsense')).rejects.toMatchObject({ status: 404 })
  })
})

test('the sign-in log counts by result, provider, application and reason', async () => {
  const counts = await ada.call(countSignIns, { query: { zone: 'Europe/Berlin' } })
  expect(counts.step).toBe('day')
  expect(counts.buckets.length).toBeGreaterThanOrEqual(30)
  const today = counts.buckets.at(-1)
  expect(today?.succeeded).toBeGreaterThan(2)
  const failures = await ada.call(countSignIns, { query: { signIns: 'failed', reason: 'invalid_redirect_uri' } })
  expect(failures.buckets.reduce((sum, { failed }) => sum + failed, 0)).toBe(1)
  expect(failures.clients).toEqual([{ value: 'shop', name: 'Shop', count: 1 }])
  expect(counts.providers.map(({ value }) => value)).toEqual(expect.arrayContaining(['harbour', 'local']))
  const { items } = await ada.call(listAuditEntries, { query: { signIns: 'succeeded', client: 'shop', limit: 5 } })
  expect(items).toMatchObject([{ action: 'signin.succeeded', after: { client: 'shop', idp: 'local' } }])
  const hour = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() }
  expect(await ada.call(countSignIns, { query: hour })).toMatchObject({ step: '10 minutes' })
})

test('costs no statement of a sign-in, and many are saved in one', async () => {
  const statements = await recordStatements(service.sql, async () => void (await signInAtHarbour()))
  expect(statements.filter((text) => text.includes('sign_in_traces'))).toEqual([])
  const saved: string[] = []
  const { debug } = service.sql.options
  service.sql.options.debug = (_connection, text) => saved.push(text)
  await Promise.all([signInAtHarbour(), signInAtHarbour()])
  saved.length = 0
  await service.services.traces.flush()
  service.sql.options.debug = debug
  expect(saved.filter((text) => text.includes('insert into sign_in_traces')).length).toBeLessThanOrEqual(1)
})

test('keeps traces for 30 days, and the newest of too many', async () => {
  await service.services.traces.flush()
  const { sql } = service
  const count = async () =>
    (await sql<{ count: number }[]>`select count(*)::int as count from sign_in_traces`)[0]?.count ?? 0
  const before = await count()
  await sql`update sign_in_traces set at = now() - interval '31 days' where id in (select id from sign_in_traces order by at limit 3)`
  expect(await store.sweep(sql, 30, 2)).toBe(2)
  expect(await store.sweep(sql, 30, 10)).toBe(1)
  expect(await store.trim(sql, before - 5, 100)).toBe(2)
  expect(await count()).toBe(before - 5)
})
