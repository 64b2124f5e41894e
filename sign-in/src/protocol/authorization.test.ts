import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { resolveSettings, type SigninSettings } from '../settings.ts'
import {
  type AuthorizationParameters,
  authorizationRequest,
  readAuthorizationResponse,
  withoutResponse,
} from './authorization.ts'

const metadata = { issuer: 'https://op.example', authorization_endpoint: 'https://op.example/authorize?tenant=t1' }
const settingsWith = (more: Partial<SigninSettings> = {}) =>
  resolveSettings({ authority: 'https://op.example', client_id: 'app', ...more })
const target = { request_type: 'si:r' as const, redirect_uri: 'https://app.example/callback' }

async function ask(more: Partial<SigninSettings> = {}, given: AuthorizationParameters = {}) {
  const { url, state } = await authorizationRequest(metadata, settingsWith(more), given, target)
  return { parameters: [...new URL(url).searchParams], query: Object.fromEntries(new URL(url).searchParams), state }
}

describe('requests', () => {
  test('C7 parameters come in the known order, after those that the endpoint has itself', async () => {
    const everything = {
      prompt: 'login',
      display: 'page',
      max_age: 0,
      ui_locales: 'en nl',
      id_token_hint: 'hint',
      login_hint: 'ada',
      acr_values: 'acr',
      resource: 'https://api.example',
      request: 'object',
      request_uri: 'https://app.example/request',
      response_mode: 'fragment' as const,
      extraQueryParams: { audience: 'api' },
    }
    const { parameters } = await ask({}, everything)
    expect(parameters.map(([name]) => name)).toEqual([
      'tenant',
      'client_id',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
      'nonce',
      'code_challenge',
      'code_challenge_method',
      'prompt',
      'display',
      'max_age',
      'ui_locales',
      'id_token_hint',
      'login_hint',
      'acr_values',
      'resource',
      'request',
      'request_uri',
      'response_mode',
      'audience',
    ])
  })

  test('C7 the least that is asked is code with PKCE, state and nonce, answered in the query', async () => {
    const { query, state } = await ask()
    expect(query).toEqual({
      tenant: 't1',
      client_id: 'app',
      redirect_uri: target.redirect_uri,
      response_type: 'code',
      scope: 'openid',
      state: state.id,
      nonce: state.nonce,
      code_challenge: createHash('sha256')
        .update(state.code_verifier ?? '')
        .digest('base64url'),
      code_challenge_method: 'S256',
      response_mode: 'query',
    })
  })

  test('C7 response_mode is the one that is configured', async () => {
    const { query, state } = await ask({ response_mode: 'fragment' })
    expect([query['response_mode'], state.response_mode]).toEqual(['fragment', 'fragment'])
  })

  test('C7 what a call leaves undefined is what the settings say', async () => {
    const { query } = await ask({ prompt: 'login', scope: 'openid email' }, {
      prompt: undefined,
      scope: undefined,
    } as never)
    expect(query).toMatchObject({ prompt: 'login', scope: 'openid email' })
  })

  test('C7 an id_token is asked for without PKCE, and never in the query', async () => {
    const { query, state } = await ask({ response_mode: 'query' }, { response_type: 'id_token' })
    expect(query['response_type']).toBe('id_token')
    expect([query['code_challenge'], query['response_mode'], state.code_verifier]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(state.response_mode).toBe('fragment')
  })

  test('V12 a nonce is sent with every request, and never twice the same', async () => {
    const asked = await Promise.all([ask(), ask(), ask({}, { response_type: 'id_token' })])
    const nonces = asked.map(({ query }) => query['nonce'])
    expect(new Set(nonces).size).toBe(3)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/)
  })

  test('E5 what waits is all that the answer needs, and no secret of the client', async () => {
    const secretive = { client_secret: 'hush', extraTokenParams: { resource: 'api' } } as Partial<SigninSettings>
    const { state } = await ask(secretive, { state: { page: 7 }, skipUserInfo: true })
    expect(state).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      created: expect.any(Number),
      request_type: 'si:r',
      authority: 'https://op.example',
      client_id: 'app',
      redirect_uri: target.redirect_uri,
      response_mode: 'query',
      nonce: expect.any(String),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'openid',
      data: { page: 7 },
      extraTokenParams: { resource: 'api' },
      skipUserInfo: true,
    })
  })

  test('M11 metadata without an address: No url provided', async () => {
    const asked = authorizationRequest({ issuer: 'https://op.example' }, settingsWith(), {}, target)
    await expect(asked).rejects.toMatchObject({ message: 'No url provided', code: 'no_url' })
  })

  test('C7 nobody is sent to an address that others can read along', async () => {
    const plain = { ...metadata, authorization_endpoint: 'http://op.example/authorize' }
    await expect(authorizationRequest(plain, settingsWith(), {}, target)).rejects.toMatchObject({
      code: 'insecure_address',
    })
    const here = { ...metadata, authorization_endpoint: 'http://127.0.0.1:4000/authorize' }
    await expect(authorizationRequest(here, settingsWith(), {}, target)).resolves.toMatchObject({
      url: expect.any(String),
    })
  })
})

describe('answers', () => {
  const withIss = { ...metadata, authorization_response_iss_parameter_supported: true }
  const iss = encodeURIComponent(metadata.issuer)

  async function read(
    answer: string,
    more: Parameters<typeof ask> = [],
    change: object = {},
    server: typeof metadata = metadata,
  ) {
    const { state } = await ask(...more)
    const address = `https://app.example/callback${answer.replace('{state}', state.id)}`
    return readAuthorizationResponse(server, settingsWith(more[0]), { ...state, ...change }, address)
  }
  const idToken: Parameters<typeof ask> = [{ response_type: 'id_token' }]
  const fragment: Parameters<typeof ask> = [{ response_mode: 'fragment' }]

  test('C9 a code is read from the query, and from the fragment where that was asked for', async () => {
    const inQuery = await read('?code=c%2B1&state={state}&session_state=s-1')
    expect([inQuery.parameters.get('code'), inQuery.sessionState]).toEqual(['c+1', 's-1'])
    const inFragment = await read('?code=of-the-app#code=c1&state={state}', fragment)
    expect(inFragment.parameters.get('code')).toBe('c1')
  })

  test('C9 the place that the request named counts, whatever the settings say by now', async () => {
    const { state } = await ask({ response_mode: 'fragment' })
    const address = `https://app.example/callback#code=c1&state=${state.id}`
    expect(readAuthorizationResponse(metadata, settingsWith(), state, address).parameters.get('code')).toBe('c1')
  })

  test.each([
    ['No state in response', 'no_state', '?code=c1', [], {}],
    ['No state in response', 'no_state', '#code=c1&state={state}', [], {}],
    ['State does not match', 'state_mismatch', '?code=c1&state=other', [], {}],
    ['No client_id on state', 'no_client_id_in_state', '?code=c1&state={state}', [], { client_id: undefined }],
    [
      'authority mismatch on settings vs. signin state',
      'authority_mismatch',
      '?code=c1&state={state}',
      [],
      { authority: 'https://elsewhere.example' },
    ],
    [
      'client_id mismatch on settings vs. signin state',
      'client_id_mismatch',
      '?code=c1&state={state}',
      [],
      { client_id: 'other' },
    ],
    ['No code in response', 'no_code', '?state={state}', [], {}],
    ['Unexpected id_token in response', 'unexpected_id_token', '?code=c1&id_token=t&state={state}', [], {}],
    ['No id_token in response', 'no_id_token', '#state={state}', idToken, {}],
    ['Unexpected code in response', 'unexpected_code', '#code=c1&id_token=t&state={state}', idToken, {}],
  ] as const)('V15 %s', async (message, code, answer, more, change) => {
    await expect(read(answer, [...more] as never, change)).rejects.toMatchObject({ message, code })
  })

  test('V15 M10 the provider’s error is the message, its description beside it', async () => {
    const answer = '?error=login_required&error_description=Nobody+is+there&state={state}&session_state=s-0'
    await expect(read(answer, [{}, { state: { page: 7 } }])).rejects.toMatchObject({
      name: 'SigninError',
      message: 'login_required',
      code: 'login_required',
      error: 'login_required',
      description: 'Nobody is there',
      sessionState: 's-0',
      state: { page: 7 },
    })
  })

  test.each([
    ['another issuer', '&iss=https%3A%2F%2Felsewhere.example'],
    ['no issuer', ''],
    ['two issuers', `&iss=${iss}&iss=${iss}`],
  ])('V15 an answer of %s is refused where issuers are told (RFC 9207)', async (_, told) => {
    for (const answer of ['?code=c1', '?error=access_denied']) {
      const reading = read(`${answer}&state={state}${told}`, [], {}, withIss)
      await expect(reading).rejects.toMatchObject({ name: 'SigninError', code: 'invalid_response' })
    }
  })

  test('V15 an answer in the name of another issuer is refused even where none is announced', async () => {
    const reading = read('#id_token=t&state={state}&iss=https%3A%2F%2Felsewhere.example', idToken)
    await expect(reading).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test('V15 the right issuer is taken', async () => {
    await expect(read(`?code=c1&state={state}&iss=${iss}`, [], {}, withIss)).resolves.toBeDefined()
    await expect(read(`#id_token=t&state={state}&iss=${iss}`, idToken, {}, withIss)).resolves.toMatchObject({
      idToken: 't',
    })
  })

  test('V15 a parameter that comes twice is refused', async () => {
    await expect(read('?code=c1&state={state}&state={state}')).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test('C9 the address without the answer keeps what is the application’s own', async () => {
    const [{ state: inQuery }, { state: inFragment }] = await Promise.all([ask(), ask({ response_mode: 'fragment' })])
    const address = 'https://app.example/cb?tab=2&code=c&state=s&iss=i&session_state=x&scope=o#part'
    expect(withoutResponse(address, inQuery)).toBe('https://app.example/cb?tab=2#part')
    expect(withoutResponse('https://app.example/cb?tab=2#code=c&state=s', inFragment)).toBe(
      'https://app.example/cb?tab=2',
    )
  })
})
