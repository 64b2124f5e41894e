import { expect, test } from 'vitest'
import { resolveSettings } from '../settings.ts'
import { buildEndSessionRequest, readEndSessionResponse } from './end-session.ts'

const metadata = { issuer: 'https://op.example', end_session_endpoint: 'https://op.example/end?x=1' }
const settings = resolveSettings({ authority: 'https://op.example', client_id: 'app' })
const returnUrl = 'https://app.example/'

const buildRequest = (parameters: Parameters<typeof buildEndSessionRequest>[2]) => {
  const { url, state } = buildEndSessionRequest(metadata, settings, parameters, 'so:r')
  return { query: Object.fromEntries(new URL(url).searchParams), state }
}

test('an end-session request has the hint, the client, the return URL, and a state for its data', () => {
  const { query, state } = buildRequest({
    id_token_hint: 'hint',
    post_logout_redirect_uri: returnUrl,
    state: { page: 7 },
  })
  expect(query).toEqual({
    x: '1',
    id_token_hint: 'hint',
    client_id: 'app',
    post_logout_redirect_uri: returnUrl,
    state: state?.id,
  })
  expect(state).toMatchObject({ request_type: 'so:r', data: { page: 7 } })
})

test('an end-session request stores data like state, and prefers data', () => {
  const { state } = buildRequest({ post_logout_redirect_uri: returnUrl, state: 1, data: 2 })
  expect(state).toMatchObject({ data: 2, authority: 'https://op.example', client_id: 'app' })
})

test('extra parameters of a call replace those of the settings, as on sign-in', () => {
  const extra = { ...settings, extraQueryParams: { ui_locales: 'nl', audience: 'api' } }
  const queryOf = (parameters: Parameters<typeof buildEndSessionRequest>[2]) =>
    Object.keys(
      Object.fromEntries(new URL(buildEndSessionRequest(metadata, extra, parameters, 'so:r').url).searchParams),
    )
  expect(queryOf({})).toEqual(['x', 'client_id', 'ui_locales', 'audience'])
  expect(queryOf({ extraQueryParams: { ui_locales: 'en' } })).toEqual(['x', 'client_id', 'ui_locales'])
})

test.each([
  [{ state: 7 }, ['x', 'client_id']],
  [{ post_logout_redirect_uri: returnUrl }, ['x', 'client_id', 'post_logout_redirect_uri']],
  [{ extraQueryParams: { ui_locales: 'nl' } }, ['x', 'client_id', 'ui_locales']],
])('an end-session request with %j has no state', (parameters, names) => {
  const { query, state } = buildRequest(parameters)
  expect([Object.keys(query), state]).toEqual([names, undefined])
})

test('a form carries the parameters separately from the URL, which keeps its own', () => {
  const parameters = {
    id_token_hint: 'hint',
    post_logout_redirect_uri: undefined,
    extraQueryParams: { ui_locales: 'nl' },
  }
  const request = buildEndSessionRequest(metadata, { ...settings, postLogout: 'form' }, parameters, 'so:r')
  expect(request).toEqual({
    url: 'https://op.example/end?x=1',
    form: { id_token_hint: 'hint', client_id: 'app', ui_locales: 'nl' },
    state: undefined,
  })
})

test('a form is not sent to an insecure URL', () => {
  const unsafe = { issuer: 'https://op.example', end_session_endpoint: 'http://op.example/end' }
  const build = () => buildEndSessionRequest(unsafe, { ...settings, postLogout: 'form' }, {}, 'so:r')
  expect(build).toThrow(expect.objectContaining({ code: 'insecure_address' }))
})

test('an end-session request fails with “no end session endpoint” without one', () => {
  const build = () => buildEndSessionRequest({ issuer: 'https://op.example' }, settings, {}, 'so:r')
  expect(build).toThrow(expect.objectContaining({ message: 'no end session endpoint' }))
})

test('an end-session response returns the data of the request, or the provider’s error', () => {
  const { state } = buildRequest({ post_logout_redirect_uri: returnUrl, state: { page: 7 } })
  expect(readEndSessionResponse(`${returnUrl}?state=${state?.id}`, state)).toEqual({ state: { page: 7 } })
  expect(readEndSessionResponse(returnUrl, undefined)).toEqual({ state: undefined })
  expect(() => readEndSessionResponse(`${returnUrl}?state=other`, state)).toThrow('State does not match')
  expect(() => readEndSessionResponse(`${returnUrl}?error=server_error&error_description=No&state=x`, state)).toThrow(
    expect.objectContaining({ message: 'server_error', description: 'No', state: { page: 7 } }),
  )
})
