import { expect, test } from 'vitest'
import { resolveSettings } from '../settings.ts'
import { endSessionRequest, readEndSessionResponse } from './end-session.ts'

const metadata = { issuer: 'https://op.example', end_session_endpoint: 'https://op.example/end?x=1' }
const settings = resolveSettings({ authority: 'https://op.example', client_id: 'app' })
const back = 'https://app.example/'

const ask = (given: Parameters<typeof endSessionRequest>[2]) => {
  const { url, state } = endSessionRequest(metadata, settings, given, 'so:r')
  return { query: Object.fromEntries(new URL(url).searchParams), state }
}

test('C8 hint, client and address are sent, and a state with data to come back to', () => {
  const { query, state } = ask({ id_token_hint: 'hint', post_logout_redirect_uri: back, state: { page: 7 } })
  expect(query).toEqual({
    x: '1',
    id_token_hint: 'hint',
    client_id: 'app',
    post_logout_redirect_uri: back,
    state: state?.id,
  })
  expect(state).toMatchObject({ request_type: 'so:r', data: { page: 7 } })
})

test.each([
  [{ state: 7 }, ['x', 'client_id']],
  [{ post_logout_redirect_uri: back }, ['x', 'client_id', 'post_logout_redirect_uri']],
  [{ extraQueryParams: { ui_locales: 'nl' } }, ['x', 'client_id', 'ui_locales']],
])('C8 with %j there is no state', (given, names) => {
  const { query, state } = ask(given)
  expect([Object.keys(query), state]).toEqual([names, undefined])
})

test('C8 for a form the parameters are beside the address, which keeps its own', () => {
  const given = { id_token_hint: 'hint', post_logout_redirect_uri: undefined, extraQueryParams: { ui_locales: 'nl' } }
  const asked = endSessionRequest(metadata, { ...settings, postLogout: 'form' }, given, 'so:r')
  expect(asked).toEqual({
    url: 'https://op.example/end?x=1',
    form: { id_token_hint: 'hint', client_id: 'app', ui_locales: 'nl' },
    state: undefined,
  })
})

test('C8 a form is sent to no address that is not safe either', () => {
  const unsafe = { issuer: 'https://op.example', end_session_endpoint: 'http://op.example/end' }
  const asking = () => endSessionRequest(unsafe, { ...settings, postLogout: 'form' }, {}, 'so:r')
  expect(asking).toThrow(expect.objectContaining({ code: 'insecure_address' }))
})

test('M17 without an endpoint: no end session endpoint', () => {
  const asking = () => endSessionRequest({ issuer: 'https://op.example' }, settings, {}, 'so:r')
  expect(asking).toThrow(expect.objectContaining({ message: 'no end session endpoint' }))
})

test('C8 what comes back is the data of the request, or the provider’s error', () => {
  const { state } = ask({ post_logout_redirect_uri: back, state: { page: 7 } })
  expect(readEndSessionResponse(`${back}?state=${state?.id}`, state)).toEqual({ state: { page: 7 } })
  expect(readEndSessionResponse(back, undefined)).toEqual({ state: undefined })
  expect(() => readEndSessionResponse(`${back}?state=other`, state)).toThrow('State does not match')
  expect(() => readEndSessionResponse(`${back}?error=server_error&error_description=No&state=x`, state)).toThrow(
    expect.objectContaining({ message: 'server_error', description: 'No', state: { page: 7 } }),
  )
})
