import { problem } from '../http/problem.ts'

export const tooBusy = problem(503, 'too-busy', {
  meaning: 'Too many concurrent sign-ins.',
  remedy: 'Try again in a few seconds.',
  showRemedy: true,
  retryAfterSeconds: 5,
})
