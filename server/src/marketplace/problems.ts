import { problem } from '../http/problem.ts'

const withCause = (cause: unknown) => ({ cause })

export const notConfigured = problem(503, 'awsmp-not-configured', {
  meaning: 'AWS Marketplace is not configured, or AWS does not accept the credentials of this server.',
  remedy: 'Ask the operator of the server to check AWS_MARKETPLACE_REGION and the credentials of AWS.',
  details: withCause,
})
export const refused = problem(502, 'awsmp-unavailable', {
  meaning: 'AWS Marketplace has refused the request.',
  remedy: 'Check the product code and the ids. The log has the name of the error.',
  details: withCause,
})
export const throttled = problem(429, 'awsmp-throttled', {
  meaning: 'AWS Marketplace receives too many requests.',
  remedy: 'Try again in a few seconds.',
  showRemedy: true,
  retryAfterSeconds: 5,
  details: withCause,
})
export const tokenExpired = problem(410, 'awsmp-token-expired', {
  meaning: 'The link from AWS Marketplace has expired.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
  details: withCause,
})
export const tokenInvalid = problem(400, 'awsmp-token-invalid', {
  meaning: 'AWS Marketplace does not know this registration token.',
  remedy: 'Return to AWS Marketplace and select Set up your account again.',
  showRemedy: true,
  details: withCause,
})
export const unavailable = problem(502, 'awsmp-unavailable', {
  meaning: 'AWS Marketplace is not responding.',
  remedy: 'Try again in a moment.',
  showRemedy: true,
  details: withCause,
})
