import { afterEach, expect, test, vi } from 'vitest'
import { callApi } from './call-api.ts'

const url = 'https://id.example/passport/apphelper/user'
const mockFetch = (respond: () => Promise<Response>) => vi.spyOn(globalThis, 'fetch').mockImplementation(respond)
afterEach(() => vi.restoreAllMocks())

test('sends the token without cookies, and indents a JSON body', async () => {
  const fetchMock = mockFetch(async () => new Response('{"a":1}', { status: 200, statusText: 'OK' }))
  expect(await callApi('abc', url)).toMatchObject({ isOk: true, status: '200 OK', body: '{\n  "a": 1\n}' })
  const [requestUrl, options] = fetchMock.mock.calls[0] ?? []
  expect(requestUrl).toBe(url)
  expect(options).toMatchObject({ credentials: 'omit', headers: { authorization: 'Bearer abc' } })
})

test('returns the challenge of a 401, and a plain text body unchanged', async () => {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  mockFetch(async () => new Response('no', { status: 401, headers }))
  expect(await callApi('abc', url)).toMatchObject({
    isOk: false,
    status: '401',
    challenge: 'Bearer error="invalid_token"',
    body: 'no',
  })
})

test('reports a network failure as “No response”', async () => {
  mockFetch(() => Promise.reject(new TypeError('Failed to fetch')))
  expect(await callApi('abc', url)).toMatchObject({ isOk: false, status: 'No response', body: '' })
})
