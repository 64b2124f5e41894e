import { maxPersonalTokens } from '@passport/contract/personal-tokens'
import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const personalTokenNotFound = problem(404, 'personal-token-not-found', {
  meaning: 'Token not found.',
  remedy: 'List the tokens again. It may have been revoked.',
})
export const tooManyPersonalTokens = problem(409, 'too-many-personal-tokens', {
  meaning: `You have ${maxPersonalTokens} personal tokens already.`,
  remedy: 'Revoke one that is no longer used.',
  showRemedy: true,
})
export const scopeUnavailable = problem(400, 'scope-unavailable', {
  meaning: 'A personal token cannot have this scope.',
  remedy: 'Choose from the list of scopes that a personal token may have.',
  details: (errors: FieldError[]) => ({ errors }),
})
