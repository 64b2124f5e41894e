import { createClient, deleteClient, getClient, putClient, restoreClient } from '@passport/contract/clients'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, post } from '../provider/test-shop.ts'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'

// The built-in directory as an issuer of its own: what it issues ends with the application, too.

const redirectUri = 'https://other.example/callback'
let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService({ LOCAL_DIRECTORY_ISSUER: 'on' })
  ada = await service.as('ada')
})

async function createApp(clientName: string) {
  const body = { clientName, redirectUris: [redirectUri], consent: 'skip' as const }
  const { client: created, secret } = await ada.call(createClient, { body })
  const { clientId } = created
  const configuration = await client.discovery(
    new URL(`${service.url}/idp`),
    clientId,
    {},
    client.ClientSecretBasic(secret ?? ''),
    { execute: [client.allowInsecureRequests] },
  )
  return { clientId, configuration }
}
type App = Awaited<ReturnType<typeof createApp>>

/** Follows the redirects of an authorization request, and signs eve in; returns the URL at the application. */
async function follow(browser: TestBrowser, start: string): Promise<string> {
  let url = start
  while (url.startsWith(service.url)) {
    const response = await browser.send(url)
    url = new URL(response.headers.get('location') ?? (await signIn(browser, url)), url).href
  }
  return url
}

async function signIn(browser: TestBrowser, url: string): Promise<string> {
  const { text } = await browser.open(url)
  const read = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  const seal = read(/name="seal" value="([^"]*)"/)
  const form = post({ seal, name: 'eve', password: demoPassword }, {})
  return (await browser.send(read(/action="([^"]*)"/), form)).headers.get('location') ?? ''
}

/** Authorizes an application for eve; returns the browser, and the function that exchanges the code. */
async function authorize({ configuration }: App, browser = createTestBrowser(service.url)) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const { href } = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const answer = await follow(browser, href)
  return {
    browser,
    exchange: () => client.authorizationCodeGrant(configuration, new URL(answer), { pkceCodeVerifier }),
  }
}

const readUserInfo = async (token: string) =>
  (await fetch(`${service.url}/idp/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'issued',
    ({ error, status }: { error?: string; status?: number }) => error ?? status,
  )

test('what an application got from the directory ends when it is deleted, and stays ended when it is restored', async () => {
  const app = await createApp('Deleted')
  const params = { clientId: app.clientId }
  const { browser, exchange } = await authorize(app)
  const token = (await exchange()).access_token
  const { exchange: exchangeLater } = await authorize(app, browser)
  expect(await readUserInfo(token)).toBe(200)
  await ada.call(deleteClient, { params })
  expect(await readUserInfo(token)).toBe(401)
  await ada.call(restoreClient, { params })
  expect([await readUserInfo(token), await outcomeOf(exchangeLater())]).toEqual([401, 'invalid_grant'])
  expect(await outcomeOf((await authorize(app)).exchange())).toBe('issued')
})

test('wrong secrets count with those at the issuer of tokens', async () => {
  const { clientId } = await createApp('Guessed')
  const send = (path: string) =>
    fetch(service.url + path, post({ grant_type: 'authorization_code', code: 'x' }, basic(clientId, 'wrong')))
  for (let attempt = 0; attempt < 30; attempt++) expect((await send('/idp/token')).status).toBe(401)
  expect([(await send('/idp/token')).status, (await send('/connect/token')).status]).toEqual([429, 429])
})

test('an application that is disabled gets nothing more, also in a process that no notification reaches', async () => {
  await service.sql`alter table clients disable trigger clients_changed`
  afterAll(() => service.sql`alter table clients enable trigger clients_changed`)
  const app = await createApp('Disabled')
  const second = await startTestService({}, { sharedWith: service })
  const { browser, exchange } = await authorize(app)
  const token = (await exchange()).access_token
  const { exchange: exchangeLater } = await authorize(app, browser)
  const params = { clientId: app.clientId }
  const read = await ada.call(getClient, { params })
  await (await second.as('ada')).call(putClient, { params, body: { ...read, enabled: false } })
  expect([await readUserInfo(token), await outcomeOf(exchangeLater())]).toEqual([401, 401])
})
