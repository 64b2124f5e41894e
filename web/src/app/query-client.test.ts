import { ApiError } from '@passport/contract/call'
import { MutationObserver, onlineManager } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { currentUserQuery } from './current-user.ts'
import { queryClient } from './query-client.ts'

const answered = (status: number) => new ApiError(new Response(null, { status }), '/passport/x', '')

test.for([
  ['a network that is away', new TypeError('Failed to fetch'), 2],
  ['a server that fails', answered(500), 2],
  ['a server that is not ready', answered(503), 2],
  ['what is not there', answered(404), 1],
  ['what one may not see', answered(403), 1],
  ['too many requests', answered(429), 1],
] as const)('%s is met by %s, %i times at most', async ([, error, times]) => {
  const ask = vi.fn(() => Promise.reject(error))
  await expect(queryClient.fetchQuery({ queryKey: [times, error.message], queryFn: ask, retryDelay: 0 })).rejects.toBe(
    error,
  )
  expect(ask).toHaveBeenCalledTimes(times)
})

describe('whoever is offline', () => {
  afterEach(() => {
    onlineManager.setOnline(true)
    queryClient.clear()
    vi.unstubAllGlobals()
  })
  const away = new TypeError('Failed to fetch')
  const offline = () => {
    onlineManager.setOnline(false)
    vi.stubGlobal('fetch', () => Promise.reject(away))
  }

  test('is told that a save failed, and does not wait', async () => {
    offline()
    const save = new MutationObserver(queryClient, { mutationFn: () => fetch('/x') })
    await expect(save.mutate()).rejects.toBe(away)
  })

  test('is told that a page could not be read', async () => {
    offline()
    const read = queryClient.fetchQuery({ queryKey: ['a page'], queryFn: () => fetch('/x'), retryDelay: 0 })
    await expect(read).rejects.toBe(away)
  })

  test('is nobody', async () => {
    offline()
    expect(await queryClient.fetchQuery(currentUserQuery)).toBeNull()
  })
})
