import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { castPassword, startTestService } from '../test-service.ts'

export const secret = 'the secret of the confidential client'
export const callback = 'https://shop.example/callback'
const clients = [
  {
    clientId: 'shop',
    clientName: 'Shop',
    clientSecret: secret,
    redirectUris: [callback],
    postLogoutRedirectUris: ['https://shop.example/bye'],
    // What it may do for itself is nothing that a person gives it.
    scopes: ['permissions.read'],
  },
  { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] },
]

interface Request {
  scope?: string
  [parameter: string]: string | undefined
}

/** A Passport of one's own, and a confidential client of it by a library of others. Stops after the file's tests. */
export async function startShop() {
  const service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  const shop = await client.discovery(new URL(service.url), 'shop', {}, client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })
  client.enableNonRepudiationChecks(shop)

  const asBearer = (token: string, path = '/passport/apphelper/user', method = 'GET') =>
    fetch(service.url + path, { method, headers: { authorization: `Bearer ${token}` } })

  return { service, shop, signedIn, authorizationRequest, answerTo, signInToShop, asBearer }

  /** A browser in which someone is signed in to Passport. */
  async function signedIn(name: string): Promise<TestBrowser> {
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login'), { name, password: castPassword })
    return browser
  }

  async function authorizationRequest({ scope = 'openid profile email', ...more }: Request = {}) {
    const codeVerifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const parameters = {
      redirect_uri: callback,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(more as Record<string, string>),
    }
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
    return { address: client.buildAuthorizationUrl(shop, parameters).href, checks }
  }

  /** Follows an authorization request to the address at the client, which is not asked. */
  async function answerTo(browser: TestBrowser, address: string): Promise<URL> {
    let at = address
    for (let hops = 0; hops < 12; hops++) {
      const response = await browser.send(at)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${response.status} at ${at}: ${(await response.text()).slice(0, 600)}`)
      at = new URL(location, at).href
      if (!at.startsWith(service.url)) return new URL(at)
    }
    throw new Error('no end')
  }

  async function signInToShop(browser: TestBrowser, request: Request = {}) {
    const { address, checks } = await authorizationRequest(request)
    return client.authorizationCodeGrant(shop, await answerTo(browser, address), checks)
  }
}
