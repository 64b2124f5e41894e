import { problem } from '../http/problem.ts'
import type { FailureCode } from './failure.ts'

export const providerNotFound = problem(404, 'provider-not-found', {
  meaning: 'The identity provider does not exist.',
  remedy: 'Use the id of a provider from GET /passport/discovery.',
  details: (idp: string) => ({ detail: `The identity provider ${idp} does not exist.` }),
})

const providerFailure = (code: FailureCode, meaning: string, remedy: string) =>
  problem(502, code, {
    meaning,
    remedy,
    details: (cause: unknown) => ({ cause }),
  })
export const providerUnreachable = providerFailure(
  'provider-unreachable',
  'The identity provider is not responding.',
  'Try again in a moment.',
)
export const providerMisconfigured = providerFailure(
  'provider-misconfigured',
  'The identity provider rejects the configuration of this server.',
  'An operator must correct identityProviders.',
)
export const issuerWrong = providerFailure(
  'issuer-wrong',
  'The metadata of the identity provider names another issuer than the configuration.',
  'An operator must correct the issuer in identityProviders.',
)
export const answerInvalid = providerFailure(
  'answer-invalid',
  'The response of the identity provider does not follow OpenID Connect.',
  'Try again. If it fails again, an operator must check the provider.',
)
