import * as api from '@passport/contract/connections'
import { createTestBrowser } from '@passport/world/browser'
import type { Fault } from '@passport/world/oidc-provider/faults'
import { usualHabits } from '@passport/world/oidc-provider/habits'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let lighthouse: RunningProvider
let service: TestService
let eve: Visitor

beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport', clientSecret: 'the client secret at Lighthouse' }
  const redirectUri = `http://localhost:${port}/app/connect/lighthouse/callback`
  lighthouse = await startOidcProvider({ ...client, name: 'Lighthouse', redirectUri })
  onFileEnd(lighthouse.stop)
  const connector = { kind: 'oidc', ...client }
  service = await startTestService({
    PORT: String(port),
    CONNECTORS: JSON.stringify([
      { ...connector, id: 'lighthouse', name: 'Lighthouse', issuer: lighthouse.issuer },
      { ...connector, id: 'gone', name: 'Gone', issuer: 'http://localhost:1' },
    ]),
  })
  eve = await service.as('eve')
})

const post = async (path: string, body: unknown, cookie = '') => {
  const response = await fetch(`${service.url}/passport/connect/${path}`, {
    method: 'POST',
    headers: {
      cookie: `${eve.cookie}; ${cookie}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  const [setCookie = ''] = response.headers.getSetCookie()
  return {
    status: response.status,
    body: (await response.json()) as Record<string, string>,
    cookie: setCookie.split(';')[0],
  }
}

/** Starts at Passport, signs in at Lighthouse, and returns to the callback. */
async function connect(name: string, fault: Fault = 'none') {
  const { body, cookie } = await post('lighthouse/start', {})
  const browser = createTestBrowser(lighthouse.issuer)
  const page = await browser.open(body['authorizationUrl'] ?? '')
  const returned = await browser.submit(page, { name, fault })
  return post('lighthouse/callback', Object.fromEntries(new URL(returned.url).searchParams), cookie)
}

test('a service with OpenID Connect is listed and connected', async () => {
  expect(await eve.call(api.listConnectors, {})).toEqual([
    { id: 'lighthouse', name: 'Lighthouse' },
    { id: 'gone', name: 'Gone' },
  ])
  const proven = await connect('Nora Lind')
  expect(proven).toMatchObject({
    status: 200,
    body: { connector: 'lighthouse', externalId: 'person-nora.lind', label: 'nora.lind@harbour.example' },
  })
  await post('lighthouse/confirm', { linkId: proven.body['linkId'] })
  expect(await eve.call(api.listConnections, {})).toMatchObject([{ connector: 'lighthouse' }])
})

test.for<[Fault, string]>([
  ['cancel', '400 link-cancelled'],
  ['wrong-state', '400 link-state-missing'],
  ['wrong-response-issuer', '502 service-refused'],
  ['wrong-nonce', '502 service-refused'],
  ['forged-signature', '502 service-refused'],
  ['spent-code', '502 service-refused'],
  ['server-error', '502 service-refused'],
  ['no-token-endpoint', '502 service-unreachable'],
])('with the fault %s, the response is rejected with %s', async ([fault, expected]) => {
  const { status, body } = await connect('Omar Haddad', fault)
  expect(`${status} ${body['code']}`).toBe(expected)
})

test('a service that refuses the prompt is connected at the second start, without it', async () => {
  const promptOf = async () => {
    const { body, cookie } = await post('lighthouse/start', {})
    return { cookie, url: new URL(body['authorizationUrl'] ?? '') }
  }
  const first = await promptOf()
  expect(first.url.searchParams.get('prompt')).toBe('select_account')
  const error = {
    error: 'account_selection_required',
    state: first.url.searchParams.get('state'),
    iss: lighthouse.issuer,
  }
  expect(await post('lighthouse/callback', error, first.cookie)).toMatchObject({ body: { code: 'service-refused' } })
  const { body } = await post('lighthouse/start', {}, first.cookie)
  expect(new URL(body['authorizationUrl'] ?? '').searchParams.has('prompt')).toBe(false)
  expect((await promptOf()).url.searchParams.get('prompt')).toBe('select_account')
})

test('a service with the claims at user info gives its account a label', async () => {
  Object.assign(lighthouse.habits, { claimsAt: 'user-info', userInfo: 'signed' })
  expect(await connect('Omar Haddad')).toMatchObject({ status: 200, body: { label: 'omar.haddad@harbour.example' } })
  Object.assign(lighthouse.habits, usualHabits)
})

test('a service that does not respond is 502', async () => {
  expect(await post('gone/start', {})).toMatchObject({ status: 502, body: { code: 'service-unreachable' } })
})

test('a fragment of Meta is no response to another service', async () => {
  const { cookie } = await post('lighthouse/start', {})
  const { body } = await post('lighthouse/callback', { payload: 'e30=' }, cookie)
  expect(body).toMatchObject({ code: 'link-payload-invalid' })
})
