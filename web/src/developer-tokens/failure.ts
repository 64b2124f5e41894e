import type { Failure } from '../ui/ErrorCard.tsx'
import { codeOf } from './arrival.ts'

const title = 'No token was generated'

/** What to tell a person of a sign-in that failed. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error)
  return { title, detail: details[code ?? ''] ?? `The sign-in could not be completed${code ? ` (${code})` : ''}.` }
}

const foreign = 'The answer belongs to no request of this browser, or it came too late.'
const unreachable = 'The server did not answer. Check the network and try again.'

const details: Record<string, string> = {
  access_denied: 'You did not allow it on the consent page. Nothing was given to this page.',
  no_state: foreign,
  state_not_found: foreign,
  state_mismatch: foreign,
  authority_mismatch: foreign,
  client_id_mismatch: foreign,
  state_already_used: 'This answer has been used before, and is good for once.',
  invalid_grant: 'The answer came too late, or has been used before.',
  network_error: unreachable,
  timeout: unreachable,
}
