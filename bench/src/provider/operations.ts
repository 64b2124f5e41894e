import { createHash, randomBytes } from 'node:crypto'
import { type Browser, createBrowser, type HttpConnections } from './browser.ts'
import { client, type Provider, type SignIn, userCount } from './peer.ts'

/** What one of several concurrent clients does again and again. */
export interface Operation {
  /** Called before each run, for each of the clients. */
  prepare?: (client: number) => Promise<void>
  run: (client: number) => Promise<void>
}

export const operationNames = [
  'client credentials',
  'refresh',
  'introspection',
  'user info',
  'sign-in, cheap hash',
  'sign-in, default hash',
  'code, signed in',
  'device poll, pending',
  'discovery',
  'JWKS',
] as const
export type OperationName = (typeof operationNames)[number]

interface Discovery {
  authorization_endpoint: string
  token_endpoint: string
  introspection_endpoint: string
  userinfo_endpoint: string
  device_authorization_endpoint: string
  jwks_uri: string
}

interface Tokens {
  access_token: string
  refresh_token: string
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const basic = `Basic ${btoa(`${client.id}:${encodeURIComponent(client.secret)}`)}`

/** Creates the operations of a provider, as far as it is set up for them. All that they need is prepared here. */
export async function createOperations(
  provider: Provider,
  http: HttpConnections,
): Promise<Partial<Record<OperationName, Operation>>> {
  const read = async (url: string) => {
    const { status, text } = await http.send(url)
    if (status !== 200) throw new Error(`${status} at ${url}: ${text.slice(0, 500)}`)
    return text
  }
  const discover = async (issuer: string) =>
    JSON.parse(await read(`${issuer}/.well-known/openid-configuration`)) as Discovery
  const endpoints = await discover(provider.issuer)
  const documents: Partial<Record<OperationName, Operation>> = {
    discovery: { run: async () => void (await read(`${provider.issuer}/.well-known/openid-configuration`)) },
    JWKS: { run: async () => void (await read(endpoints.jwks_uri)) },
  }
  const { cheap, default: usual } = provider.signIns
  if (!cheap) return documents

  const post = async (url: string, form: Record<string, string>, expectedStatus = 200) => {
    const { status, text } = await http.send(url, { form, headers: { authorization: basic } })
    if (status !== expectedStatus) throw new Error(`${status} at ${url}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  const getTokens = async (
    { fields }: SignIn,
    user: number,
    { at = endpoints, browser = createBrowser(http) } = {},
  ) => {
    const verifier = randomBytes(32).toString('base64url')
    const request = new URLSearchParams({
      client_id: client.id,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state: randomBytes(16).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const url = await browser.authorize(`${at.authorization_endpoint}?${request}`, client.redirectUri, fields(user))
    const code = url.searchParams.get('code')
    if (code === null) throw new Error(`No code in ${url}`)
    const grant = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, code_verifier: verifier }
    const tokens = await post(at.token_endpoint, grant)
    if (!tokens['id_token'] || !tokens['refresh_token']) throw new Error(`Missing tokens: ${Object.keys(tokens)}`)
    return tokens as unknown as Tokens
  }

  const tokens: Tokens[] = []
  const browsers: Browser[] = []
  const deviceCodes: string[] = []
  for (let user = 0; user < userCount; user++) {
    tokens.push(await getTokens(cheap, user))
    const browser = createBrowser(http)
    await getTokens(cheap, user, { browser })
    browsers.push(browser)
  }
  const tokensOf = (user: number) => tokens[user] ?? { access_token: '', refresh_token: '' }

  return {
    ...documents,
    'client credentials': {
      run: async () => {
        const answer = await post(endpoints.token_endpoint, {
          grant_type: 'client_credentials',
          ...provider.clientCredentials,
        })
        if (!/^[^.]+\.[^.]+\.[^.]+$/.test(String(answer['access_token']))) throw new Error('The token is not a JWT')
      },
    },
    refresh: {
      run: async (user) => {
        const { refresh_token } = tokensOf(user)
        const next = await post(endpoints.token_endpoint, { grant_type: 'refresh_token', refresh_token })
        if (next['refresh_token'] === refresh_token) throw new Error('The refresh token is not spent')
        tokens[user] = next as unknown as Tokens
      },
    },
    introspection: {
      run: async (user) => {
        const { active } = await post(endpoints.introspection_endpoint, { token: tokensOf(user).access_token })
        if (active !== true) throw new Error('The token is not active')
      },
    },
    'user info': {
      run: async (user) => {
        const headers = { authorization: `Bearer ${tokensOf(user).access_token}` }
        const { status, text } = await http.send(endpoints.userinfo_endpoint, { headers })
        if (status !== 200) throw new Error(`${status} from user info: ${text}`)
      },
    },
    'sign-in, cheap hash': { run: async (user) => void (await getTokens(cheap, user)) },
    ...(usual && {
      'sign-in, default hash': await createSignIn(usual, async (issuer) => discover(issuer), getTokens),
    }),
    'code, signed in': {
      run: async (user) => {
        const browser = browsers[user]
        // A sign-in form would fail: it gets no password.
        if (browser) await getTokens({ ...cheap, fields: () => ({}) }, user, { browser })
      },
    },
    'device poll, pending': {
      prepare: async (user) => {
        const answer = await post(endpoints.device_authorization_endpoint, { client_id: client.id, scope: 'openid' })
        deviceCodes[user] = String(answer['device_code'])
      },
      run: async (user) => {
        const form = { grant_type: deviceGrant, device_code: deviceCodes[user] ?? '' }
        const { error } = await post(endpoints.token_endpoint, form, 400)
        if (error !== 'authorization_pending' && error !== 'slow_down') throw new Error(`The poll failed: ${error}`)
      },
    },
  }
}

async function createSignIn(
  signIn: SignIn,
  discover: (issuer: string) => Promise<Discovery>,
  getTokens: (signIn: SignIn, user: number, options: { at: Discovery }) => Promise<Tokens>,
): Promise<Operation> {
  const at = await discover(signIn.issuer)
  return { run: async (user) => void (await getTokens(signIn, user, { at })) }
}
