import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import type { Sql } from '../database/sql.ts'
import { demoPassword, startTestService, type TestDatabaseOptions } from '../test-service.ts'

export const shopSecret = 'the secret of the confidential client'
export const redirectUri = 'https://shop.example/callback'
const clients = [
  {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: shopSecret,
    redirectUris: [redirectUri],
    postLogoutRedirectUris: ['https://shop.example/bye'],
    // A scope of the client itself, which no user grants.
    scopes: ['permissions.read'],
  },
  {
    clientId: 'market',
    clientName: 'Market',
    clientSecret: shopSecret,
    redirectUris: ['https://market.example/callback'],
  },
  { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] },
]

/** The settings of the service, also for a second one on its database. */
export const shopSettings = { CLIENTS: JSON.stringify(clients) }

/** Parameters of an authorization request, besides those that it always has. */
export interface AuthorizationParameters {
  scope?: string
  [parameter: string]: string | undefined
}

/**
 * Starts the service with a confidential client, which uses a third-party library. Stops after the tests of the file.
 */
export async function startShop(
  database: TestDatabaseOptions = {},
  env: Record<string, string> = {},
  otherClients: object[] = [],
) {
  const settings = { ...shopSettings, CLIENTS: JSON.stringify([...clients, ...otherClients]), ...env }
  const service = await startTestService(settings, database)
  const shop = await client.discovery(new URL(service.url), 'shop', {}, client.ClientSecretBasic(shopSecret), {
    execute: [client.allowInsecureRequests],
  })
  client.enableNonRepudiationChecks(shop)

  const fetchWithToken = (token: string, path = '/passport/apphelper/user', method = 'GET') =>
    fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

  return { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop, fetchWithToken }

  /** Signs a demo user in to Passport; returns the browser. */
  async function signIn(name: string): Promise<TestBrowser> {
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name, password: demoPassword })
    return browser
  }

  async function buildAuthorizationRequest(request: AuthorizationParameters = {}) {
    const { scope = 'openid profile email', ...extraParameters } = request
    const codeVerifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const parameters = {
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(extraParameters as Record<string, string>),
    }
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
    return { url: client.buildAuthorizationUrl(shop, parameters).href, checks }
  }

  /**
   * Follows the redirects of an authorization request; returns the first URL of another server, without requesting it.
   */
  async function followAuthorization(browser: TestBrowser, authorizationUrl: string): Promise<URL> {
    let url = authorizationUrl
    for (let hop = 0; hop < 12; hop++) {
      const response = await browser.send(url)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${response.status} at ${url}: ${(await response.text()).slice(0, 600)}`)
      url = new URL(location, url).href
      if (!url.startsWith(service.url)) return new URL(url)
    }
    throw new Error(`Too many redirects from ${authorizationUrl}`)
  }

  async function signInToShop(browser: TestBrowser, request: AuthorizationParameters = {}) {
    const { url, checks } = await buildAuthorizationRequest(request)
    return client.authorizationCodeGrant(shop, await followAuthorization(browser, url), checks)
  }
}

/** Makes the codes and tokens of a grant look as the former release saved them, which may still run beside this one. */
export const moveToFormerTable = (sql: Sql, grantId: string): Promise<unknown> => sql`
  with moved as (delete from provider_tokens where grant_id = ${grantId} returning *)
  insert into provider_artifacts select * from moved`

/** Ages all issued and spent tokens by an hour. */
export const ageTokensByAnHour = (sql: Sql): Promise<unknown> => sql`
  update provider_artifacts
  set consumed_at = consumed_at - interval '1 hour', expires_at = expires_at - interval '1 hour',
    payload = case when payload ? 'iat' then jsonb_set(payload, '{iat}', to_jsonb((payload->>'iat')::int - 3600)) else payload end`

/** The header by which a client authenticates with its secret. */
export const basic = (id = 'shop', secret = shopSecret) => ({
  authorization: `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}`,
})

export const formType = 'application/x-www-form-urlencoded'

/** A request with a form, by default of the shop. */
export const post = (
  body: Record<string, string> | URLSearchParams | string,
  headers: Record<string, string> = basic(),
): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': formType, ...headers },
  body: typeof body === 'string' ? body : `${new URLSearchParams(body)}`,
})
