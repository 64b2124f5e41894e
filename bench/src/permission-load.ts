import autocannon from 'autocannon'
import { coreSeconds } from './core-seconds.ts'
import type { PermissionClient } from './permission-client.ts'

/** One call and what its answer must be. */
export interface Call {
  body: string
  isRight: (answer: string) => boolean
}

interface Told {
  /** For a second of a core of the server process, its database apart. */
  perCoreSecond: number
  perSecond: number
  p99Ms: number
}

/**
 * Posts the calls in turn, `amount` in all, after as many that are not counted: by their number rather than by the
 * clock, so that the server is as warm on a busy machine. Throws for any answer that is not the right one.
 */
export async function postAll(
  { addressOf, headers }: PermissionClient,
  pid: number,
  path: string,
  calls: Call[],
  { connections, amount }: { connections: number; amount: number },
): Promise<Told> {
  let wrong: string | undefined
  const requests = calls.map(({ body, isRight }) => ({
    body,
    onResponse: (status: number, answer: string) => {
      if (status !== 200 || !isRight(answer)) wrong ??= `${status} ${answer.slice(0, 300)} to ${body.slice(0, 300)}`
    },
  }))
  const post = () =>
    autocannon({
      url: addressOf(path),
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      connections,
      amount,
      timeout: 60,
      requests,
    })
  await post()
  const before = coreSeconds(pid)
  const { requests: answered, latency, errors } = await post()
  const used = coreSeconds(pid) - before
  if (wrong !== undefined || errors > 0) throw new Error(`${path}: ${errors} failed; ${wrong}`)
  return { perCoreSecond: answered.total / used, perSecond: answered.average, p99Ms: latency.p99 }
}
