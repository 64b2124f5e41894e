import type { IncomingMessage } from 'node:http'
import type { CompletedRequest } from './activity.ts'
import type { HttpContext } from './http-context.ts'
import { redactPath } from './report.ts'
import type { Visit } from './visit.ts'

/** Counts a completed request, and logs it at the level `debug`. `path` is logged, without secrets. */
export type RecordCompletion = (
  incoming: IncomingMessage,
  visit: Visit,
  path: string,
  request: Omit<CompletedRequest, 'method'>,
) => void

export function createCompletionRecorder(
  { log }: Pick<HttpContext, 'log'>,
  count: (request: CompletedRequest) => void,
): RecordCompletion {
  return ({ method }, visit, path, { route, status, code, seconds, isStream }) => {
    count({ method: toCountedMethod(method), route, status, code, seconds, isStream })
    if (!log.isLevelEnabled('debug')) return
    log.debug({ method, path: redactPath(path), status, seconds, ...visit }, 'responded')
  }
}

/** Clients choose the method, and each one that is counted stays in memory. */
const countedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const toCountedMethod = (method = '') => (countedMethods.has(method) ? method : 'other')
