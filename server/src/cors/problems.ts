import { maxCorsStacks } from '@passport/contract/cors'
import { problem } from '../http/problem.ts'

export const stackNotFound = problem(404, 'stack-not-found', {
  meaning: 'The stack does not exist.',
  remedy: 'Use the name of a stack in CORS_ORIGINS, or of one on the page of allowed origins.',
  details: (stack: string) => ({ detail: `The stack ${stack} does not exist.` }),
})
export const tooManyStacks = problem(409, 'too-many-stacks', {
  meaning: `Origins can be saved for at most ${maxCorsStacks} stacks.`,
  remedy: 'Add further stacks to CORS_ORIGINS.',
  showRemedy: true,
})
