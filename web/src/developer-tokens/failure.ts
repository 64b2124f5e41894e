import type { Failure } from '../ui/ErrorCard.tsx'
import { errorCodeOf } from './complete-signin.ts'

const title = "Couldn't generate a token"

/** Describes a failed sign-in for the user. */
export function toFailure(error: unknown): Failure {
  const code = errorCodeOf(error)
  return { title, detail: details[code ?? ''] ?? `The sign-in couldn't be completed${code ? ` (${code})` : ''}.` }
}

const unknownRequest = "The response doesn't match a request from this browser, or it expired. Try again."
const unreachable = "Couldn't reach the server. Check your connection and try again."

const details: Record<string, string> = {
  access_denied: 'You denied access on the consent page.',
  no_state: unknownRequest,
  state_not_found: unknownRequest,
  state_mismatch: unknownRequest,
  authority_mismatch: unknownRequest,
  client_id_mismatch: unknownRequest,
  state_already_used: 'The response was already used. Generate a new token.',
  invalid_grant: 'The response expired or was already used. Generate a new token.',
  network_error: unreachable,
  timeout: unreachable,
}
