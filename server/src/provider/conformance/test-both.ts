import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import * as api from '@passport/contract/identity-apis'
import { createTestBrowser, type SendRequest, type TestBrowser } from '@passport/world/browser'
import { describe, expect, test } from 'vitest'
import { startTestService } from '../../test-service.ts'
import { type Difference, differences } from './test-differences.ts'
import { type Secrets, startLibrary } from './test-library.ts'
import { expectEqual, isConsentPage, readOutcome } from './test-outcome.ts'
import {
  authorizationPath,
  basic,
  exchangeForm,
  otherUri,
  type Parameters,
  post,
  redirectUri,
  secret,
} from './test-requests.ts'

// The same requests to the service and to the library, and what both responses must agree in.

const other = { redirectUris: [otherUri], clientSecret: secret }
const usualClients: Record<string, object> = {
  shop: {
    redirectUris: [redirectUri],
    clientSecret: secret,
    scopes: ['permissions.read', 'permissions.write'],
    deviceFlow: true,
  },
  market: other,
  game: { redirectUris: ['https://game.example/callback'] },
  plain: { ...other, pkce: 'optional' },
  asking: { ...other, consent: 'once' },
  nagging: { ...other, consent: 'always' },
  native: { redirectUris: ['com.example.native:/callback', 'http://127.0.0.1/callback'] },
  rsa: { ...other, idTokenSigningAlg: 'RS256' },
  tv: { deviceFlow: true },
}

/** The service, or the library. */
export interface Side {
  name: 'service' | 'library'
  /** The issuer identifier, which both have. */
  issuer: string
  /** The browsers in which these users are signed in. */
  browsers: Record<'eve' | 'dev', TestBrowser>
  signIn: (user: 'eve' | 'dev') => Promise<TestBrowser>
  signOut: (browser: TestBrowser) => Promise<void>
  /** Decides about a device as Eve. */
  decideDevice: (userCode: string, answer: 'approve' | 'deny') => Promise<unknown>
  /** Creates a browser without cookies. */
  createBrowser: () => TestBrowser
  /** Sends a request outside a browser; does not follow redirects. */
  send: (path: string, init?: RequestInit) => Promise<Response>
  /** What former requests of a row have left for later ones. */
  kept: Map<string, string>
}

/** A case: its rule, the status and the error or the outcome, and the request. */
export type Row = [rule: string, expected: string, request: (side: Side) => Promise<Response>]

/** Starts the service and the library, with the same APIs and clients: the usual ones, and others. */
export async function startBoth(otherClients: Record<string, object> = {}) {
  const clients = { ...usualClients, ...otherClients }
  const settings = Object.entries(clients).map(([clientId, client]) => ({ clientId, clientName: clientId, ...client }))
  const service = await startTestService({ CLIENTS: JSON.stringify(settings), TRUSTED_PROXIES: '127.0.0.0/8' })
  const ada = await service.as('ada')
  const scopes = ['orders.read', 'orders.write'].map((name) => ({ name, description: name, emphasize: false }))
  for (const name of ['orders', 'closed']) {
    const body = { name, displayName: name, audience: `https://${name}.example`, tokenLifetimeSec: 600 }
    const closed = { scopes: [], allowedClients: ['market'] }
    await ada.call(api.createIdentityApi, { body: { ...body, ...(name === 'orders' ? { scopes } : closed) } as never })
  }
  const hasSecret = (client: object) => ('clientSecret' in client ? secret : undefined)
  const secrets: Secrets = Object.fromEntries(Object.entries(clients).map(([id, client]) => [id, hasSecret(client)]))
  const { url: libraryUrl, provider } = await startLibrary(service, secrets)

  const eve = await service.as('eve')
  const decideAtService: Side['decideDevice'] = (code, action) =>
    eve.call(decideDeviceAuthorization, { body: { code, action } })
  /** Stores the decision, as the verification page of the library does. */
  const decideAtLibrary: Side['decideDevice'] = async (userCode, answer) => {
    const code = await provider.DeviceCode.findByUserCode(userCode.replace('-', ''))
    if (!code?.clientId) throw new Error(`${userCode} is unknown`)
    const scope = String(code.params?.['scope'] ?? '')
    const grant = new provider.Grant({ accountId: eve.id, clientId: code.clientId })
    grant.addOIDCScope(scope)
    const approval = { accountId: eve.id, grantId: await grant.save(), scope, authTime: Math.floor(Date.now() / 1000) }
    await Object.assign(code, answer === 'approve' ? approval : { error: 'access_denied' }).save()
  }
  const create = async (name: Side['name'], url: string, signInAs: (user: string) => Promise<TestBrowser>) => {
    const send = (path: string, init?: RequestInit) => fetchFromAnywhere(url + path, init)
    const browsers = { eve: await signInAs('eve'), dev: await signInAs('dev') }
    const side: Side = {
      name,
      issuer: service.url,
      browsers,
      signIn: signInAs,
      signOut: async (browser) => {
        const page = await browser.open('/connect/endsession')
        const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
        if (name === 'service') await browser.submit(page, {})
        else await browser.send('/connect/endsession/confirm', post({ xsrf, logout: 'yes' }, {}))
      },
      decideDevice: name === 'service' ? decideAtService : decideAtLibrary,
      createBrowser: () => createBrowser(url),
      send,
      kept: new Map(),
    }
    return side
  }
  const createBrowser = (url: string) => {
    const sendTo: SendRequest = ({ pathname, search }, init) => fetchFromAnywhere(url + pathname + search, init)
    return createTestBrowser(service.url, {}, sendTo)
  }
  const sides = {
    service: await create('service', service.url, async (user) => {
      const browser = createBrowser(service.url)
      const { cookie } = await service.as(user as 'eve')
      browser.setCookie(...(cookie.split('=', 2) as [string, string]))
      return browser
    }),
    library: await create('library', libraryUrl, async (user) => {
      const browser = createBrowser(libraryUrl)
      const { id } = await service.as(user as 'eve')
      const asked = await browser.send(authorizationPath())
      const interaction = asked.headers.get('location') ?? ''
      const finished = await browser.send(`${interaction}?user=${id}`)
      await browser.send(finished.headers.get('location') ?? '')
      return browser
    }),
  }
  return { started: service, ...sides }
}

let address = 0
/** Sends each request from another address, so that no limit of an address counts. */
function fetchFromAnywhere(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  address += 1
  headers.set('x-forwarded-for', `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`)
  return fetch(url, { redirect: 'manual', ...init, headers })
}

export type Both = Record<Side['name'], Side>

/**
 * Registers a test for each row: the service responds as expected, and as the library unless a difference of the group
 * is listed.
 */
export function compareRows({ service, library }: Both, group: keyof typeof differences, rows: Row[]): void {
  const listed: Record<string, Difference> = differences[group]
  describe(group, () => {
    test.for(rows)('%s', async ([rule, expected, request]) => {
      const ours = await readOutcome(service.send, await request(service))
      const theirs = await readOutcome(library.send, await request(library))
      expect(ours.summary, JSON.stringify(ours)).toBe(expected)
      const difference = listed[rule]
      if (!difference) expectEqual(ours, theirs)
      else if (difference.library === expected) expect(ours, 'There is no difference any more').not.toEqual(theirs)
      else
        expect(
          theirs.summary.replace(/^20\d.*/, (status) => (difference.library === 'success' ? 'success' : status)),
        ).toBe(difference.library)
    })
    test('every listed difference is one of a rule', () => {
      const rules = rows.map(([rule]) => rule)
      expect(new Set(rules).size).toBe(rules.length)
      expect(Object.keys(listed).filter((rule) => !rules.includes(rule))).toEqual([])
    })
  })
}

interface AuthorizationOptions {
  /** By default the one in which Eve is signed in. */
  browser?: TestBrowser | undefined
  init?: RequestInit
  /** Of the user, who is asked for consent. */
  answer?: 'allow' | 'deny'
}

/** Sends an authorization request, and follows it to the client or to a page; returns that response. */
export async function authorize(
  side: Side,
  path: string,
  { browser = side.browsers.eve, init, answer }: AuthorizationOptions = {},
): Promise<Response> {
  let response = await browser.send(path, init)
  let url = path
  for (let hop = 0; hop < 12; hop++) {
    const location = response.headers.get('location')
    if (location && !location.startsWith('/') && !location.startsWith(side.issuer)) return response
    if (location) {
      url = location
      response = await browser.send(location)
    } else {
      const text = answer ? await response.clone().text() : ''
      if (!isConsentPage(text)) return response
      response = await browser.send(...buildDecision(side, { url, text }, answer === 'allow'))
    }
  }
  throw new Error(`Too many redirects from ${path}`)
}

function buildDecision({ name }: Side, page: { url: string; text: string }, isAllowed: boolean): [string, RequestInit] {
  if (name === 'library') return [`${page.url}?${isAllowed ? 'consent' : 'deny'}`, {}]
  const [, action = ''] = /action="([^"]*)"/.exec(page.text) ?? []
  const [, question = ''] = /name="question" value="([^"]*)"/.exec(page.text) ?? []
  return [action, post({ question, answer: isAllowed ? 'allow' : 'deny' }, {})]
}

/** Obtains a code of a signed-in user, who allows everything. */
export async function obtainCode(side: Side, changes: Parameters = {}, browser?: TestBrowser): Promise<string> {
  const response = await authorize(side, authorizationPath(changes), { browser, answer: 'allow' })
  const code = new URL(response.headers.get('location') ?? 'none:').searchParams.get('code')
  if (!code) throw new Error(`No code: ${response.headers.get('location')} ${await response.text()}`)
  return code
}

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
}

/** Obtains the tokens of a signed-in user for the shop, once for each scope unless the browser is given. */
export async function obtainTokens(side: Side, scope = 'openid email', browser?: TestBrowser): Promise<Tokens> {
  const kept = browser ? undefined : side.kept.get(scope)
  if (kept) return JSON.parse(kept) as Tokens
  const changes = { scope, ...(scope.includes('offline') && { prompt: 'consent' }) }
  const isOpenId = scope.includes('openid')
  const code = await obtainCode(side, { ...changes, ...(!isOpenId && { nonce: undefined }) }, browser)
  const response = await side.send('/connect/token', post(exchangeForm(code)))
  const text = await response.text()
  if (!browser) side.kept.set(scope, text)
  return JSON.parse(text) as Tokens
}

/** Obtains a token of a client on its own behalf. */
export async function requestOwnToken({ send }: Side, scope: string, as = 'shop'): Promise<string> {
  const response = await send('/connect/token', post({ grant_type: 'client_credentials', scope }, basic(as)))
  return ((await response.json()) as Tokens).access_token
}
