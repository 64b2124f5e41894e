import { afterEach, describe, expect, test, vi } from 'vitest'
import { clientId, redirectUri, useProvider } from '../test-provider.ts'
import { buildAuthorizationRequest, readAuthorizationResponse } from './authorization.ts'
import { exchange } from './connection.ts'
import { readTokenResponse, sendCodeRequest, sendRefreshRequest } from './token.ts'

const { op, providerWith, settingsWith } = await useProvider()

/** Obtains a code, then exchanges it for tokens. */
async function exchangeCode(overrides: Parameters<typeof settingsWith>[0] = {}) {
  const settings = settingsWith({ scope: 'openid offline_access', ...overrides })
  const provider = providerWith(overrides)
  const connection = await provider.connect()
  const target = { request_type: 'si:r' as const, redirect_uri: redirectUri }
  const { url, state } = await buildAuthorizationRequest(connection.server, settings, {}, target)
  const response = await fetch(url, { redirect: 'manual' })
  const responseUrl = response.headers.get('location') ?? ''
  const { parameters } = readAuthorizationResponse(connection.server, settings, state, responseUrl)
  return { state, tokens: await exchange(() => sendCodeRequest(connection, parameters, state), readTokenResponse) }
}

const refresh = async (refreshToken: string, extraParameters: Record<string, string> = {}) => {
  const connection = await providerWith().connect()
  return exchange(() => sendRefreshRequest(connection, refreshToken, extraParameters), readTokenResponse)
}

test('exchanges a code with a form post, with its verifier and without a secret', async () => {
  const { state, tokens } = await exchangeCode({ extraTokenParams: { resource: 'api' } })
  const [request] = op.requests('/token')
  expect(request?.method).toBe('POST')
  expect(request?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
  expect(request?.form).toEqual({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: expect.any(String),
    redirect_uri: redirectUri,
    code_verifier: state.code_verifier,
    resource: 'api',
  })
  expect(tokens).toMatchObject({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_at: expect.any(Number),
  })
})

test('a refresh sends the refresh token and no scope', async () => {
  const { tokens } = await exchangeCode()
  const renewed = await refresh(tokens.refresh_token ?? '')
  expect(op.requests('/token').at(-1)?.form).toEqual({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: tokens.refresh_token,
  })
  expect(renewed.access_token).not.toBe(tokens.access_token)
})

test('a refresh sends the scope of its call and no parameters of the settings', async () => {
  const { tokens } = await exchangeCode({ extraTokenParams: { audience: 'api' } })
  await refresh(tokens.refresh_token ?? '', { scope: 'openid' })
  expect(op.requests('/token').map(({ form }) => [form['scope'], form['audience']])).toEqual([
    [undefined, 'api'],
    ['openid', undefined],
  ])
})

describe('a failed token request', () => {
  test('has the provider’s error code as message', async () => {
    await expect(refresh('unknown')).rejects.toMatchObject({
      message: 'invalid_grant',
      code: 'invalid_grant',
      description: 'The code or token was used or never issued.',
    })
  })

  test('has no description if the provider sends none', async () => {
    op.script.token = { error: 'invalid_client', status: 401 }
    await expect(refresh('any')).rejects.toMatchObject({ message: 'invalid_client', description: undefined })
  })

  test('reports any other error by its status', async () => {
    op.script.token = { status: 503 } as never
    await expect(refresh('any')).rejects.toMatchObject({ message: 'Service Unavailable (503)', code: 'http_error' })
  })

  test('reports a broken connection as Network Error', async () => {
    op.script.token = 'close'
    await expect(refresh('any')).rejects.toMatchObject({ message: 'Network Error', code: 'network_error' })
  })

  test('times out a call that hangs', async () => {
    op.script.token = 'hang'
    const connection = await providerWith({ requestTimeout: 2000 }).connect()
    const call = exchange(() => sendRefreshRequest(connection, 'any'), readTokenResponse)
    await expect(call).rejects.toMatchObject({ message: 'Network Error', code: 'timeout' })
  })

  test('rejects a call aborted by its caller', async () => {
    op.script.token = 'hang'
    const { signal, abort } = abortable()
    const connection = await providerWith().connect(signal)
    const call = exchange(() => sendRefreshRequest(connection, 'any'), readTokenResponse, signal)
    abort('enough')
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  })

  test.each(['empty', 'null'] as const)(
    'reports a response that is %s as “No response returned from token endpoint”',
    async (token) => {
      op.script.token = token
      await expect(refresh('any')).rejects.toMatchObject({
        name: 'SigninError',
        message: 'No response returned from token endpoint',
        code: 'no_token_response',
      })
    },
  )

  test.each([undefined, null, '', 7])(
    'reports an access token %j as “No access token returned from token endpoint”',
    async (value) => {
      const { tokens } = await exchangeCode()
      op.script.tokenResponse = { access_token: value }
      await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
        message: 'No access token returned from token endpoint',
        code: 'no_access_token',
      })
    },
  )

  test('rejects a response that is not JSON', async () => {
    op.script.token = 'html'
    await expect(refresh('any')).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

describe('readTokenResponse', () => {
  afterEach(() => void vi.useRealTimers())

  const read = (body: object) => readTokenResponse(Response.json({ access_token: 'a', ...body }))

  test.each(['Bearer', 'bearer', 'DPoP'])('keeps the spelling of the token type %s', async (token_type) => {
    await expect(read({ token_type })).resolves.toMatchObject({ token_type })
  })

  test('rejects an unsupported token type', async () => {
    await expect(read({ token_type: 'mac' })).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test.each([
    [3600, 3600],
    ['3600', 3600],
    [0, undefined],
    [-1, undefined],
    ['soon', undefined],
    [null, undefined],
  ])('converts expires_in %j to %j s after the response arrived', async (expiresIn, expected) => {
    vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] })
    const { expires_at } = await read({ expires_in: expiresIn })
    expect(expires_at).toBe(expected && 1_800_000_000 + expected)
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: string) => controller.abort(reason) }
}
