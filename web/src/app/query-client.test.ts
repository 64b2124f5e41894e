import { ApiError } from '@passport/contract/call'
import { MutationObserver, onlineManager } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { queryClient } from './query-client.ts'

const createError = (status: number) => new ApiError(new Response(null, { status }), '/passport/x', '')

test.for([
  ['a network failure', new TypeError('Failed to fetch'), 2],
  ['a failing server', createError(500), 2],
  ['a server that is not ready', createError(503), 2],
  ['a missing resource', createError(404), 1],
  ['a forbidden resource', createError(403), 1],
  ['too many requests', createError(429), 1],
] as const)('%s (%s) is requested at most %i times', async ([, error, times]) => {
  const request = vi.fn(() => Promise.reject(error))
  await expect(
    queryClient.fetchQuery({ queryKey: [times, error.message], queryFn: request, retryDelay: 0 }),
  ).rejects.toBe(error)
  expect(request).toHaveBeenCalledTimes(times)
})

describe('while offline', () => {
  afterEach(() => {
    onlineManager.setOnline(true)
    queryClient.clear()
    vi.unstubAllGlobals()
  })
  const networkError = new TypeError('Failed to fetch')
  const offline = () => {
    onlineManager.setOnline(false)
    vi.stubGlobal('fetch', () => Promise.reject(networkError))
  }

  test('a save fails without waiting', async () => {
    offline()
    const save = new MutationObserver(queryClient, { mutationFn: () => fetch('/x') })
    await expect(save.mutate()).rejects.toBe(networkError)
  })

  test('a read fails', async () => {
    offline()
    const read = queryClient.fetchQuery({ queryKey: ['a page'], queryFn: () => fetch('/x'), retryDelay: 0 })
    await expect(read).rejects.toBe(networkError)
  })

  test('there is no current user', async () => {
    offline()
    expect(await queryClient.fetchQuery(currentUserQuery)).toBeNull()
  })
})
