import { problem } from '../http/problem.ts'

export const notReady = problem(503, 'not-ready', {
  meaning: 'The database is not responding or cannot write.',
  remedy: 'Send requests to another server until this one is ready.',
  retryAfterSeconds: 5,
  details: (cause: unknown) => ({ cause }),
})
export const stopping = problem(503, 'stopping', {
  meaning: 'The server is stopping.',
  remedy: 'Send requests to another server.',
  retryAfterSeconds: 1,
})
export const metricsTokenMissing = problem(401, 'metrics-token-missing', {
  meaning: 'The request for the metrics has no valid token, and does not come directly from the same machine.',
  remedy: 'Send METRICS_TOKEN as a bearer token.',
  details: () => ({
    detail: 'Send METRICS_TOKEN as a bearer token.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  }),
})
export const checkNotFound = problem(404, 'check-not-found', {
  meaning: 'Check not found.',
  remedy: 'Use the name of a check on the health page.',
})
