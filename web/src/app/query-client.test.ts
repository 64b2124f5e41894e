import { ApiError } from '@passport/contract/call'
import { expect, test, vi } from 'vitest'
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
