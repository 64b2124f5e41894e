import { afterEach, expect, test, vi } from 'vitest'
import { openPageAs } from '../app/page-user.ts'
import { save } from './save.ts'

const answering = (network: () => Promise<Response>) => vi.stubGlobal('fetch', network)

afterEach(() => {
  openPageAs(null)
  vi.unstubAllGlobals()
})

test.for([
  ['as it does over HTTP/2, without a text', new Response('no', { status: 500 }), 'status 500 Internal Server Error'],
  ['with a text of its own', new Response('no', { status: 409, statusText: 'Try Later' }), 'status 409 Try Later'],
  ['with a status that has no name', new Response('no', { status: 599 }), 'status 599 Generic Error'],
] as const)('a server that refuses %s is told with key and status', async ([, answer, told]) => {
  answering(async () => answer)
  await expect(save({ key: 'a/b', value: 'v' })).rejects.toThrow(new Error(`Failed to update key a/b: ${told}`))
})

test('a network that is away is told as that', async () => {
  answering(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect(save({ key: 'k', value: 'v' })).rejects.toThrow(new Error('Failed to update key k: no connection'))
})

test('nothing is sent for who has been signed out, and they are told so', async () => {
  const send = vi.fn(async () => new Response(null, { status: 204 }))
  answering(send)
  openPageAs({ claims: { sub: 'eve', idp: 'local', auth_time: 1 }, roles: [], orgs: [] })
  await expect(save({ key: 'k', value: 'v' })).rejects.toThrow(
    new Error('Failed to update key k: You have been signed out. Nothing was saved.'),
  )
  expect(send).not.toHaveBeenCalled()
})
