import { problem } from '../http/problem.ts'

export const traceNotFound = problem(404, 'trace-not-found', {
  meaning: 'No sign-in has this support code.',
  remedy: 'Check the code. Traces are kept for 30 days; the server log may have the request under the code.',
  showRemedy: true,
})
