import { problem } from '../http/problem.ts'

/** The wording is that of the specification. */
export const devTokensUnavailable = problem(404, 'dev-tokens-unavailable', {
  meaning: 'Dev tokens not available on this stack',
  remedy: 'Generate a token at the issuer that this server trusts. Only an issuer of its own has developer tokens.',
})

export const developerTokenNotFound = problem(404, 'developer-token-not-found', {
  meaning: 'Developer token not found.',
  remedy: 'List the developer tokens: this one has expired, was revoked, or belongs to another user.',
})
