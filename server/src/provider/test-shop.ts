import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import type { Sql } from '../database/sql.ts'
import { demoPassword, startTestService, type TestDatabaseOptions } from '../test-service.ts'

export const secret = 'the secret of the confidential client'
export const callback = 'https://shop.example/callback'
const clients = [
  {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: secret,
    redirectUris: [callback],
    postLogoutRedirectUris: ['https://shop.example/bye'],
    // Scopes of the client itself, which no user grants.
    scopes: ['permissions.read'],
  },
  {
    clientId: 'market',
    clientName: 'Market',
    clientSecret: secret,
    redirectUris: ['https://market.example/callback'],
  },
  { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] },
]

interface Request {
  scope?: string
  [parameter: string]: string | undefined
}

/** Starts a Passport with a confidential client that uses a third-party library. Stops after the file's tests. */
export async function startShop(database: TestDatabaseOptions = {}) {
  const service = await startTestService({ CLIENTS: JSON.stringify(clients) }, database)
  const shop = await client.discovery(new URL(service.url), 'shop', {}, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })
  client.enableNonRepudiationChecks(shop)

  const asBearer = (token: string, path = '/passport/apphelper/user', method = 'GET') =>
    fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

  return { service, shop, signedIn, buildAuthorizationRequest, followAuthorization, signInToShop, asBearer }

  /** Returns a browser of a user signed in to Passport. */
  async function signedIn(name: string): Promise<TestBrowser> {
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name, password: demoPassword })
    return browser
  }

  async function buildAuthorizationRequest({ scope = 'openid profile email', ...extraParameters }: Request = {}) {
    const codeVerifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const parameters = {
      redirect_uri: callback,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(extraParameters as Record<string, string>),
    }
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
    return { address: client.buildAuthorizationUrl(shop, parameters).href, checks }
  }

  /** Follows an authorization request to the client's address, which is not requested. */
  async function followAuthorization(browser: TestBrowser, address: string): Promise<URL> {
    let url = address
    for (let hops = 0; hops < 12; hops++) {
      const response = await browser.send(url)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${response.status} at ${url}: ${(await response.text()).slice(0, 600)}`)
      url = new URL(location, url).href
      if (!url.startsWith(service.url)) return new URL(url)
    }
    throw new Error('no end')
  }

  async function signInToShop(browser: TestBrowser, request: Request = {}) {
    const { address, checks } = await buildAuthorizationRequest(request)
    return client.authorizationCodeGrant(shop, await followAuthorization(browser, address), checks)
  }
}

/** Ages all issued and spent tokens by an hour. */
export const ageTokensByAnHour = (sql: Sql): Promise<unknown> => sql`
  update provider_artifacts
  set consumed_at = consumed_at - interval '1 hour', expires_at = expires_at - interval '1 hour',
    payload = case when payload ? 'iat' then jsonb_set(payload, '{iat}', to_jsonb((payload->>'iat')::int - 3600)) else payload end`
