import { problem } from '../http/problem.ts'

/** The wording is that of the specification. */
export const devTokensUnavailable = problem(404, 'dev-tokens-unavailable', {
  meaning: 'Dev tokens not available on this stack',
  remedy: 'Generate a token at the issuer that this server trusts. Only an issuer of its own has developer tokens.',
})
