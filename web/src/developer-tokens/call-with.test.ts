import { afterEach, expect, test, vi } from 'vitest'
import { callWith } from './call-with.ts'

const url = 'https://id.example/passport/apphelper/user'
const answerWith = (answer: () => Promise<Response>) => vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
afterEach(() => vi.restoreAllMocks())

test('sends the token and no cookie, and shows JSON indented', async () => {
  const sent = answerWith(async () => new Response('{"a":1}', { status: 200, statusText: 'OK' }))
  expect(await callWith('abc', url)).toMatchObject({ isGood: true, status: '200 OK', body: '{\n  "a": 1\n}' })
  const [address, options] = sent.mock.calls[0] ?? []
  expect(address).toBe(url)
  expect(options).toMatchObject({ credentials: 'omit', headers: { authorization: 'Bearer abc' } })
})

test('shows why the token was refused, and text as it is', async () => {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  answerWith(async () => new Response('no', { status: 401, headers }))
  expect(await callWith('abc', url)).toMatchObject({
    isGood: false,
    status: '401',
    challenge: 'Bearer error="invalid_token"',
    body: 'no',
  })
})

test('says that there was no answer', async () => {
  answerWith(() => Promise.reject(new TypeError('Failed to fetch')))
  expect(await callWith('abc', url)).toMatchObject({ isGood: false, status: 'No answer', body: '' })
})
