import { afterEach, describe, expect, test, vi } from 'vitest'
import { clientId, redirectUri, useProvider } from '../test-provider.ts'
import { authorizationRequest, readAuthorizationResponse } from './authorization.ts'
import { exchange } from './connection.ts'
import { codeRequest, readTokenResponse, refreshRequest } from './token.ts'

const { shoal, providerWith, settingsWith } = await useProvider()

/** Signs in as far as the code, and asks for tokens. */
async function exchangeCode(more: Parameters<typeof settingsWith>[0] = {}) {
  const settings = settingsWith({ scope: 'openid offline_access', ...more })
  const provider = providerWith(more)
  const connection = await provider.connect()
  const target = { request_type: 'si:r' as const, redirect_uri: redirectUri }
  const { url, state } = await authorizationRequest(connection.server, settings, {}, target)
  const answer = await fetch(url, { redirect: 'manual' })
  const address = answer.headers.get('location') ?? ''
  const { parameters } = readAuthorizationResponse(connection.server, settings, state, address)
  return { state, tokens: await exchange(() => codeRequest(connection, parameters, state), readTokenResponse) }
}

const refresh = async (refreshToken: string, more: Record<string, string> = {}) => {
  const connection = await providerWith().connect()
  return exchange(() => refreshRequest(connection, refreshToken, more), readTokenResponse)
}

test('C1 a code is exchanged by a form post, with its verifier and without a secret', async () => {
  const { state, tokens } = await exchangeCode({ extraTokenParams: { resource: 'api' } })
  const [request] = shoal.requests('/token')
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

test('C2 a refresh sends the refresh token, and no scope', async () => {
  const { tokens } = await exchangeCode()
  const renewed = await refresh(tokens.refresh_token ?? '')
  expect(shoal.requests('/token').at(-1)?.form).toEqual({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: tokens.refresh_token,
  })
  expect(renewed.access_token).not.toBe(tokens.access_token)
})

describe('refusals', () => {
  test('C3 the provider’s error code is the message', async () => {
    await expect(refresh('unknown')).rejects.toMatchObject({
      message: 'invalid_grant',
      code: 'invalid_grant',
      description: 'It was used, or never given.',
    })
  })

  test('C3 an error without a description has none', async () => {
    shoal.script.token = { error: 'invalid_client', status: 401 }
    await expect(refresh('any')).rejects.toMatchObject({ message: 'invalid_client', description: undefined })
  })

  test('C3 any other status is told as such', async () => {
    shoal.script.token = { status: 503 } as never
    await expect(refresh('any')).rejects.toMatchObject({ message: 'Service Unavailable (503)', code: 'http_error' })
  })

  test('C3 a connection that breaks: Network Error', async () => {
    shoal.script.token = 'close'
    await expect(refresh('any')).rejects.toMatchObject({ message: 'Network Error', code: 'network_error' })
  })

  test('C3 a call that hangs is given up after its time', async () => {
    shoal.script.token = 'hang'
    const connection = await providerWith({ requestTimeout: 50 }).connect()
    const call = exchange(() => refreshRequest(connection, 'any'), readTokenResponse)
    await expect(call).rejects.toMatchObject({ message: 'Network Error', code: 'timeout' })
  })

  test('C3 a call that its caller gives up is aborted', async () => {
    shoal.script.token = 'hang'
    const { signal, abort } = abortable()
    const connection = await providerWith().connect(signal)
    const call = exchange(() => refreshRequest(connection, 'any'), readTokenResponse, signal)
    abort('enough')
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  })

  test.each(['empty', 'null'] as const)(
    'M3 an answer that is %s: No response returned from token endpoint',
    async (token) => {
      shoal.script.token = token
      await expect(refresh('any')).rejects.toMatchObject({
        name: 'SigninError',
        message: 'No response returned from token endpoint',
        code: 'no_token_response',
      })
    },
  )

  test.each([undefined, null, '', 7])(
    'M4 an access token %j: No access token returned from token endpoint',
    async (value) => {
      const { tokens } = await exchangeCode()
      shoal.script.tokens = { access_token: value }
      await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
        message: 'No access token returned from token endpoint',
        code: 'no_access_token',
      })
    },
  )

  test('C3 what is no JSON is refused', async () => {
    shoal.script.token = 'html'
    await expect(refresh('any')).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

describe('readTokenResponse', () => {
  afterEach(() => void vi.useRealTimers())

  const read = (body: object) => readTokenResponse(Response.json({ access_token: 'a', ...body }))

  test.each(['Bearer', 'bearer', 'DPoP'])('C1 the token type %s is kept as it is spelled', async (token_type) => {
    await expect(read({ token_type })).resolves.toMatchObject({ token_type })
  })

  test('C1 a token that this client cannot use is refused', async () => {
    await expect(read({ token_type: 'mac' })).rejects.toMatchObject({ code: 'invalid_response' })
  })

  test.each([
    [3600, 3600],
    ['3600', 3600],
    [0, undefined],
    [-1, undefined],
    ['soon', undefined],
    [null, undefined],
  ])('C1 expires_in %j is %j s from when the answer came', async (told, expected) => {
    vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date'] })
    const { expires_at } = await read({ expires_in: told })
    expect(expires_at).toBe(expected && 1_800_000_000 + expected)
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: string) => controller.abort(reason) }
}
