import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { resolveSettings, type SigninSettings } from '../settings.ts'
import {
  type AuthorizationParameters,
  buildAuthorizationRequest,
  readAuthorizationResponse,
  removeResponse,
} from './authorization.ts'

const metadata = { issuer: 'https://op.example', authorization_endpoint: 'https://op.example/authorize?tenant=t1' }
const settingsWith = (overrides: Partial<SigninSettings> = {}) =>
  resolveSettings({ authority: 'https://op.example', client_id: 'app', ...overrides })
const target = { request_type: 'si:r' as const, redirect_uri: 'https://app.example/callback' }

async function buildRequest(overrides: Partial<SigninSettings> = {}, parameters: AuthorizationParameters = {}) {
  const { url, state } = await buildAuthorizationRequest(metadata, settingsWith(overrides), parameters, target)
  return { parameters: [...new URL(url).searchParams], query: Object.fromEntries(new URL(url).searchParams), state }
}

describe('an authorization request', () => {
  test('has its parameters in the documented order, after those of the endpoint itself', async () => {
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
    const { parameters } = await buildRequest({}, everything)
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

  test('requests a code with PKCE, state and nonce by default, with the response in the query', async () => {
    const { query, state } = await buildRequest()
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

  test('uses the configured response_mode', async () => {
    const { query, state } = await buildRequest({ response_mode: 'fragment' })
    expect([query['response_mode'], state.response_mode]).toEqual(['fragment', 'fragment'])
  })

  test('uses the settings for undefined options of a call', async () => {
    const { query } = await buildRequest({ prompt: 'login', scope: 'openid email' }, {
      prompt: undefined,
      scope: undefined,
    } as never)
    expect(query).toMatchObject({ prompt: 'login', scope: 'openid email' })
  })

  test('requests an id_token without PKCE and never in the query', async () => {
    const { query, state } = await buildRequest({ response_mode: 'query' }, { response_type: 'id_token' })
    expect(query['response_type']).toBe('id_token')
    expect([query['code_challenge'], query['response_mode'], state.code_verifier]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(state.response_mode).toBe('fragment')
  })

  test('sends a unique nonce with every request', async () => {
    const requests = await Promise.all([
      buildRequest(),
      buildRequest(),
      buildRequest({}, { response_type: 'id_token' }),
    ])
    const nonces = requests.map(({ query }) => query['nonce'])
    expect(new Set(nonces).size).toBe(3)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/)
  })

  test('stores what its response needs, without the client secret', async () => {
    const parameters = { client_secret: 'hush', state: { page: 7 }, skipUserInfo: true } as AuthorizationParameters
    const { state } = await buildRequest({ extraTokenParams: { resource: 'api' } }, parameters)
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

  test('stores data like state, and prefers data', async () => {
    const { state } = await buildRequest({}, { state: { page: 7 }, data: { page: 8 } })
    expect(state.data).toEqual({ page: 8 })
    expect((await buildRequest({}, { data: 0 })).state.data).toBe(0)
  })

  test('sends no empty parameters except additional ones', async () => {
    const empty = { prompt: '', display: '', ui_locales: '', acr_values: '', resource: '', login_hint: '' }
    const { query } = await buildRequest({ prompt: '' }, { ...empty, extraQueryParams: { audience: '' } })
    expect(Object.entries(query).filter(([, value]) => value === '')).toEqual([['audience', '']])
    expect(query).not.toHaveProperty('prompt')
  })

  test('sends the parameter of the settings if that of the call is empty', async () => {
    expect((await buildRequest({ prompt: 'login' }, { prompt: '' })).query).toMatchObject({ prompt: 'login' })
  })

  test('fails with “No url provided” without an authorization endpoint', async () => {
    const request = buildAuthorizationRequest({ issuer: 'https://op.example' }, settingsWith(), {}, target)
    await expect(request).rejects.toMatchObject({ message: 'No url provided', code: 'no_url' })
  })

  test('rejects an authorization endpoint on plain http', async () => {
    const insecure = { ...metadata, authorization_endpoint: 'http://op.example/authorize' }
    await expect(buildAuthorizationRequest(insecure, settingsWith(), {}, target)).rejects.toMatchObject({
      code: 'insecure_address',
    })
    const loopback = { ...metadata, authorization_endpoint: 'http://127.0.0.1:4000/authorize' }
    await expect(buildAuthorizationRequest(loopback, settingsWith(), {}, target)).resolves.toMatchObject({
      url: expect.any(String),
    })
  })
})

describe('an authorization response', () => {
  const withIss = { ...metadata, authorization_response_iss_parameter_supported: true }
  const iss = encodeURIComponent(metadata.issuer)

  async function read(
    response: string,
    overrides: Parameters<typeof buildRequest> = [],
    change: object = {},
    server: typeof metadata = metadata,
  ) {
    const { state } = await buildRequest(...overrides)
    const responseUrl = `https://app.example/callback${response.replace('{state}', state.id)}`
    return readAuthorizationResponse(server, settingsWith(overrides[0]), { ...state, ...change }, responseUrl)
  }
  const idToken: Parameters<typeof buildRequest> = [{ response_type: 'id_token' }]
  const fragment: Parameters<typeof buildRequest> = [{ response_mode: 'fragment' }]

  test('is read from the query, or from the fragment if requested', async () => {
    const inQuery = await read('?code=c%2B1&state={state}&session_state=s-1')
    expect([inQuery.parameters.get('code'), inQuery.sessionState]).toEqual(['c+1', 's-1'])
    const inFragment = await read('?code=of-the-app#code=c1&state={state}', fragment)
    expect(inFragment.parameters.get('code')).toBe('c1')
  })

  test('is read from where the request asked for it, even if the settings have changed', async () => {
    const { state } = await buildRequest({ response_mode: 'fragment' })
    const responseUrl = `https://app.example/callback#code=c1&state=${state.id}`
    expect(readAuthorizationResponse(metadata, settingsWith(), state, responseUrl).parameters.get('code')).toBe('c1')
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
  ] as const)('fails with “%s”', async (message, code, response, overrides, change) => {
    await expect(read(response, [...overrides] as never, change)).rejects.toMatchObject({ message, code })
  })

  test('fails with the provider’s error code as message, and its description', async () => {
    const response = '?error=login_required&error_description=Nobody+is+there&state={state}&session_state=s-0'
    await expect(read(response, [{}, { state: { page: 7 } }])).rejects.toMatchObject({
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
    ['an empty issuer', '&iss='],
    ['two issuers', `&iss=${iss}&iss=${iss}`],
  ])('is rejected with %s when the provider announces issuers (RFC 9207)', async (_, issuerParameter) => {
    for (const response of ['?code=c1', '?error=access_denied']) {
      const result = read(`${response}&state={state}${issuerParameter}`, [], {}, withIss)
      await expect(result).rejects.toMatchObject({ name: 'SigninError', code: 'invalid_response' })
    }
  })

  test('is rejected with another or an empty issuer even when issuers are not announced', async () => {
    for (const issuer of ['https%3A%2F%2Felsewhere.example', '']) {
      const result = read(`#id_token=t&state={state}&iss=${issuer}`, idToken)
      await expect(result).rejects.toMatchObject({ code: 'invalid_response' })
    }
  })

  test('is accepted with the right issuer', async () => {
    await expect(read(`?code=c1&state={state}&iss=${iss}`, [], {}, withIss)).resolves.toBeDefined()
    await expect(read(`#id_token=t&state={state}&iss=${iss}`, idToken, {}, withIss)).resolves.toMatchObject({
      idToken: 't',
    })
  })

  test.each([
    '?code=c1&state={state}&state={state}',
    '?code=c1&code=c2&state={state}',
    '?code=c1&state={state}&session_state=a&session_state=b',
    '?error=access_denied&error=login_required&state={state}',
  ])('is rejected with the repeated parameter of %s', async (response) => {
    await expect(read(response)).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test('counts an empty code as missing', async () => {
    await expect(read('?code=&state={state}')).rejects.toMatchObject({ code: 'no_code' })
  })

  test('is removed from the URL, which keeps the application’s own parameters', async () => {
    const [{ state: inQuery }, { state: inFragment }] = await Promise.all([
      buildRequest(),
      buildRequest({ response_mode: 'fragment' }),
    ])
    const responseUrl = 'https://app.example/cb?tab=2&code=c&state=s&iss=i&session_state=x&scope=o#part'
    expect(removeResponse(responseUrl, inQuery)).toBe('https://app.example/cb?tab=2#part')
    expect(removeResponse('https://app.example/cb?tab=2#code=c&state=s', inFragment)).toBe(
      'https://app.example/cb?tab=2',
    )
  })
})
