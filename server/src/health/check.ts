import { setTimeout as delay } from 'node:timers/promises'
import type { variables } from '../config.ts'

/** A check that has passed; without `latencyMs`, its duration counts. */
export interface CheckResult {
  detail: string | null
  latencyMs?: number
}

/** A part of the installation, or a service that it depends on. */
export interface Check {
  name: string
  /** A latency above it is slow. */
  limitMs: number
  /** The variable with its address. */
  setting?: keyof typeof variables
  /** Rejects if the check fails. Undefined if the part is not configured. */
  run?: ((signal: AbortSignal) => Promise<CheckResult>) | undefined
}

/** The measurement of a check; `latencyMs` is null unless it has passed. */
export interface Measurement {
  status: 'passed' | 'failed' | 'off'
  latencyMs: number | null
  detail: string | null
  /** Why it failed, for the log. */
  error?: unknown
}

/** A failure whose message administrators see: it has no host names and no credentials. */
export class CheckFailure extends Error {}

const timeoutMs = 3_000

/** Runs a check for at most 3 seconds; never rejects. */
export async function measure({ run }: Check): Promise<Measurement> {
  if (!run) return { status: 'off', latencyMs: null, detail: 'Not configured' }
  const startedAt = performance.now()
  const finished = new AbortController()
  const signal = AbortSignal.any([finished.signal, AbortSignal.timeout(timeoutMs)])
  const timeout = delay(timeoutMs, undefined, { signal: finished.signal, ref: false }).then(() => {
    throw new CheckFailure(`No answer within ${timeoutMs / 1000} s`)
  })
  timeout.catch(() => {})
  try {
    const { detail, latencyMs = performance.now() - startedAt } = await Promise.race([run(signal), timeout])
    return { status: 'passed', latencyMs: Math.round(latencyMs * 10) / 10, detail }
  } catch (error) {
    return { status: 'failed', latencyMs: null, detail: describeFailure(error), error }
  } finally {
    finished.abort()
  }
}

/** The first match describes an error by its code or message. */
const descriptions: [pattern: RegExp, description: string][] = [
  [/ECONNREFUSED/, 'Connection refused'],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'The host name is not found'],
  [/ETIMEDOUT|TimeoutError|AbortError|no connection within/, 'No answer in time'],
  [/EAUTH/, 'The credentials were refused'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ETLS/, 'The certificate is not trusted'],
  [/ECONNRESET|EPIPE|socket hang up|Unexpected socket close|ECONNECTION/, 'The connection was closed'],
]

/** Returns a phrase for a failure. The messages of libraries name hosts and quote responses, so none is returned. */
export function describeFailure(error: unknown): string {
  if (error instanceof CheckFailure) return error.message
  const facts: string[] = []
  for (let cause = error; cause instanceof Error && facts.length < 20; cause = cause.cause)
    facts.push(String((cause as { code?: unknown }).code ?? ''), cause.name, cause.message)
  const known = descriptions.find(([pattern]) => facts.some((fact) => pattern.test(fact)))
  return known?.[1] ?? 'The check failed'
}
