import { problem } from '../http/problem.ts'

/** The meaning has the wording of the specification. */
export const devTokensUnavailable = problem(404, 'dev-tokens-unavailable', {
  meaning: 'Dev tokens not available on this stack',
  remedy: 'Generate a token at the issuer in AUTHORITY. This server issues no tokens.',
})

export const developerTokenNotFound = problem(404, 'developer-token-not-found', {
  meaning: 'Developer token not found.',
  remedy: 'List the developer tokens: this one has expired, was revoked, or belongs to another user.',
})
