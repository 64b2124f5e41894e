import { problem } from '../http/problem.ts'

export const stackNotFound = problem(404, 'stack-not-found', {
  meaning: 'The stack does not exist.',
  remedy: 'Use the name of a stack in CORS_ORIGINS.',
  details: (stack: string) => ({ detail: `The stack ${stack} does not exist.` }),
})
