import { errors, Provider } from 'oidc-provider'
import { logServerError, redactPath, toLogFields, toProblem } from '../http/report.ts'
import { findVisit } from '../http/visit.ts'
import type { Log } from '../log.ts'

/** The protocol's error code of an unavailable server (RFC 6749, section 4.1.2.1). */
export const unavailableError = 'temporarily_unavailable'

const retryHeaders = new WeakMap<object, Record<string, string>>()

/** Returns the Retry-After headers of a request that failed because a dependency is unavailable. */
export const getRetryHeaders = (ctx: object): Record<string, string> => retryHeaders.get(ctx) ?? {}

/**
 * Converts and logs the error of an unavailable dependency, so that the protocol library responds 503, or redirects
 * with `temporarily_unavailable`; it would respond 500. Returns any other error unchanged.
 */
export function toProviderError(error: unknown, log: Log): unknown {
  const ctx = Provider.ctx
  if (!ctx || error instanceof errors.OIDCProviderError) return error
  const problem = toProblem(error)
  const { status, message, headers } = problem
  if (status !== 503) return error
  const visit = findVisit(ctx.req)
  logServerError(log, error, problem, { path: redactPath(ctx.path), ...(visit && toLogFields(visit)) })
  retryHeaders.set(ctx, headers)
  const providerError = new errors.CustomOIDCProviderError(unavailableError, message, { cause: error })
  return Object.assign(providerError, { status, statusCode: status })
}

/** Wraps a function so that `toProviderError` converts its errors. */
export const withProviderErrors =
  <Arguments extends unknown[], Result>(work: (...args: Arguments) => Promise<Result>, log: Log) =>
  async (...args: Arguments): Promise<Result> => {
    try {
      return await work(...args)
    } catch (error) {
      throw toProviderError(error, log)
    }
  }
