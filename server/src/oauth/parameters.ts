import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. Each has one value, which is not empty. */
export type Parameters = ReadonlyMap<string, string>

/** More than any request of the protocol has. */
export const maxParameters = 20

/** Parameters that may be repeated (RFC 8707, section 2), which are read separately. */
const repeatable = 'resource'

/**
 * Reads the parameters of a query or a form. One without a value counts as omitted (RFC 6749, section 3.1). Throws
 * `invalid_request` if one is repeated, or if there are more than 20.
 */
export function readParameters(form: URLSearchParams): Parameters {
  if (form.size > maxParameters)
    throw new OAuthError('invalid_request', `a request must not have more than ${maxParameters} parameters`)
  const parameters = new Map<string, string>()
  const repeated = new Set<string>()
  const seen = new Set<string>()
  for (const [name, value] of form) {
    if (name === repeatable) continue
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
    if (value !== '') parameters.set(name, value)
  }
  const [name] = repeated
  if (name === undefined) return parameters
  throw new OAuthError(
    'invalid_request',
    `${[...repeated].map((each) => `'${each}'`).join(', ')} ${repeated.size > 1 ? 'parameters' : 'parameter'} must not be provided twice`,
  )
}

/** Reads the values of `resource`, each once (RFC 8707, section 2). */
export const readResources = (form: URLSearchParams): string[] => [
  ...new Set(form.getAll(repeatable).filter((value) => value !== '')),
]
