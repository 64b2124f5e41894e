import { afterEach, describe, expect, test, vi } from 'vitest'
import { setPageUser } from '../app/page-user.ts'
import { Conflict, save } from './save.ts'

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
  await expect(save({ key: 'a/b', value: 'v' }, undefined)).rejects.toThrow(
    new Error(`Failed to update key a/b: ${message}`),
  )
})

test('reports a network failure', async () => {
  stubFetch(() => Promise.reject(new TypeError('Failed to fetch')))
  await expect(save({ key: 'k', value: 'v' }, undefined)).rejects.toThrow(
    new Error('Failed to update key k: no connection'),
  )
})

test('sends nothing after a sign-out and reports it', async () => {
  const send = vi.fn(async () => new Response(null, { status: 204 }))
  stubFetch(send)
  setPageUser({ claims: { sub: 'eve', idp: 'local', idp_name: 'Passport', auth_time: 1 }, roles: [], orgs: [] })
  await expect(save({ key: 'k', value: 'v' }, undefined)).rejects.toThrow(
    new Error("Failed to update key k: You've been signed out. Nothing was saved."),
  )
  expect(send).not.toHaveBeenCalled()
})

describe('a save with a condition', () => {
  const base = { key: 'k', value: 'old', version: 'v1' }
  /** Responds to each request in turn, and returns their conditions. */
  function respondInTurn(...responses: Response[]) {
    const sent: string[] = []
    vi.stubGlobal('fetch', async ({ method, headers }: Request) => {
      const condition = headers.get('if-match') ?? headers.get('if-none-match') ?? ''
      sent.push(`${method} ${condition}`.trim())
      return responses.shift()
    })
    return sent
  }
  const failed = () => new Response('{}', { status: 412 })
  const current = (value: string) => new Response(value, { headers: { etag: '"v2"' } })

  test('sends the version it is based on, or that there is none, and returns the new one', async () => {
    const ok = () => new Response(null, { status: 204, headers: { etag: '"v2"' } })
    const sent = respondInTurn(ok(), ok())
    expect(await save({ key: 'k', value: 'v' }, base)).toMatchObject({ key: 'k', value: 'v', version: 'v2' })
    await save({ key: 'k', value: 'v' }, undefined)
    expect(sent).toEqual(['PUT "v1"', 'PUT *'])
  })

  test('that fails rejects with the saved preference', async () => {
    const sent = respondInTurn(failed(), current('theirs'))
    const error = await save({ key: 'k', value: 'mine' }, base).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Conflict)
    expect(error).toMatchObject({
      message: 'Failed to update key k: status 412 Precondition Failed',
      theirs: { key: 'k', value: 'theirs', version: 'v2' },
    })
    expect(sent).toEqual(['PUT "v1"', 'GET'])
  })

  test('that fails because of a deletion rejects without a saved preference', async () => {
    respondInTurn(failed(), new Response('{}', { status: 404 }))
    await expect(save({ key: 'k', value: 'mine' }, base)).rejects.toMatchObject({ theirs: undefined })
  })

  test('is done if the other tab saved the same value, or deleted too', async () => {
    respondInTurn(failed(), current('same'), failed(), new Response('{}', { status: 404 }))
    expect(await save({ key: 'k', value: 'same' }, base)).toMatchObject({ value: 'same', version: 'v2' })
    expect(await save({ key: 'k', value: '' }, base)).toBeUndefined()
  })

  test('that fails is not a conflict if the saved value cannot be read', async () => {
    respondInTurn(failed(), new Response('{}', { status: 503 }))
    const error = await save({ key: 'k', value: 'mine' }, base).catch((thrown: unknown) => thrown)
    expect(error).not.toBeInstanceOf(Conflict)
    expect(error).toMatchObject({ message: 'Failed to update key k: status 503 Service Unavailable' })
  })
})
