import { maxScimTokens } from '@passport/contract/scim'
import { problem } from '../http/problem.ts'

export const tooManyTokens = problem(409, 'too-many-scim-tokens', {
  meaning: `The organisation has ${maxScimTokens} live SCIM tokens already.`,
  remedy: 'Revoke the one that its identity provider no longer uses.',
  showRemedy: true,
})
export const tokenNotFound = problem(404, 'scim-token-not-found', {
  meaning: 'Token not found.',
  remedy: 'List the tokens again. It may have been revoked.',
})
export const requestNotFound = problem(404, 'scim-request-not-found', {
  meaning: 'Request not found.',
  remedy: 'List the requests again. The log keeps the last 200 of an organisation, for 30 days.',
})
export const recordNotFound = problem(404, 'scim-record-not-found', {
  meaning: 'The organisation has no such user or group.',
  remedy: 'Check the id.',
})
