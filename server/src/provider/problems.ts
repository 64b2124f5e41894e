import { problem } from '../http/problem.ts'

export const clientNotFound = problem(404, 'client-not-found', {
  meaning: 'This application no longer exists.',
  remedy: 'Ask the operator of the application.',
})
