import autocannon from 'autocannon'
import { readCpuSeconds } from './cpu-time.ts'
import type { PermissionClient } from './permission-client.ts'

/** A request body, and the check of its response. */
export interface Call {
  body: string
  isExpected: (responseText: string) => boolean
}

interface PostResult {
  /** Responses per second of the server process's CPU time, which excludes the database. */
  perCpuSecond: number
  /** Responses per second of elapsed time. */
  perSecond: number
  p99Ms: number
}

/**
 * Sends `amount` requests, cycling through the calls, and measures them after a warm-up of as many. The number is fixed
 * instead of the duration, so that the server is equally warm on a busy machine. Throws if a request fails or a
 * response is unexpected.
 */
export async function postAll(
  { urlOf, headers }: PermissionClient,
  pid: number,
  path: string,
  calls: Call[],
  { connections, amount }: { connections: number; amount: number },
): Promise<PostResult> {
  let unexpected: string | undefined
  const requests = calls.map(({ body, isExpected }) => ({
    body,
    onResponse: (status: number, responseText: string) => {
      if (status !== 200 || !isExpected(responseText))
        unexpected ??= `${status} ${responseText.slice(0, 300)} for ${body.slice(0, 300)}`
    },
  }))
  const post = () =>
    autocannon({
      url: urlOf(path),
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      connections,
      amount,
      timeout: 60,
      requests,
    })
  await post()
  const before = readCpuSeconds(pid)
  const { requests: responses, latency, errors } = await post()
  const usedCpuSeconds = readCpuSeconds(pid) - before
  if (errors > 0) throw new Error(`${path}: ${errors} requests failed`)
  if (unexpected !== undefined) throw new Error(`${path}: unexpected response ${unexpected}`)
  return { perCpuSecond: responses.total / usedCpuSeconds, perSecond: responses.average, p99Ms: latency.p99 }
}
