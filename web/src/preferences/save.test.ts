import { afterEach, expect, test, vi } from 'vitest'
import { setPageUser } from '../app/page-user.ts'
import { save } from './save.ts'

const stubFetch = (respond: () => Promise<Response>) => vi.stubGlobal('fetch', respond)

afterEach(() => {
  setPageUser(null)
  vi.unstubAllGlobals()
})

test.for([
  ['without a reason phrase, as in HTTP/2', new Response('no', { status: 500 }), 'status 500 Internal Server Error'],
  ['with a reason phrase', new Response('no', { status: 409, statusText: 'Try Later' }), 'status 409 Try Later'],
  ['with an unknown status', new Response('no', { status: 599 }), 'status 599 Generic Error'],
] as const)('reports a failed response %s with key and status', async ([, response, message]) => {
  stubFetch(async () => response)
  await expect(save({ key: 'a/b', value: 'v' })).rejects.toThrow(new Error(`Failed to update key a/b: ${message}`))
})

test('reports a network failure', async () => {
  stubFetch(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect(save({ key: 'k', value: 'v' })).rejects.toThrow(new Error('Failed to update key k: no connection'))
})

test('sends nothing after a sign-out and reports it', async () => {
  const send = vi.fn(async () => new Response(null, { status: 204 }))
  stubFetch(send)
  setPageUser({ claims: { sub: 'eve', idp: 'local', auth_time: 1 }, roles: [], orgs: [] })
  await expect(save({ key: 'k', value: 'v' })).rejects.toThrow(
    new Error("Failed to update key k: You've been signed out. Nothing was saved."),
  )
  expect(send).not.toHaveBeenCalled()
})
