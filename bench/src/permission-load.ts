import autocannon from 'autocannon'
import { readCpuSeconds } from './cpu-time.ts'
import type { PermissionClient } from './permission-client.ts'

/** A call, and the check of its response. */
export interface Call {
  body: string
  isExpected: (responseText: string) => boolean
}

interface PostResult {
  /** Per second of CPU time of the server process, excluding its database. */
  perCpuSecond: number
  perSecond: number
  p99Ms: number
}

/**
 * Posts the calls in turn, `amount` in all, after the same number of uncounted calls. The number is fixed and not the
 * time, so that the server is equally warm on a busy machine. Throws for a wrong response.
 */
export async function postAll(
  { urlOf, headers }: PermissionClient,
  pid: number,
  path: string,
  calls: Call[],
  { connections, amount }: { connections: number; amount: number },
): Promise<PostResult> {
  let failure: string | undefined
  const requests = calls.map(({ body, isExpected }) => ({
    body,
    onResponse: (status: number, responseText: string) => {
      if (status !== 200 || !isExpected(responseText))
        failure ??= `${status} ${responseText.slice(0, 300)} to ${body.slice(0, 300)}`
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
  if (failure !== undefined || errors > 0) throw new Error(`${path}: ${errors} failed; ${failure}`)
  return { perCpuSecond: responses.total / usedCpuSeconds, perSecond: responses.average, p99Ms: latency.p99 }
}
