import { ApiError } from '@passport/contract/call'

interface FinalError {
  title: string
  detail: string
}

const finalErrors: Record<string, FinalError> = {
  'join-not-found': {
    title: 'Invitation not found',
    detail: 'Check that you copied the whole link, or ask the sender for a new one.',
  },
  'join-used': {
    title: 'This invitation has reached its limit',
    detail: 'Ask the sender for a new one.',
  },
  'join-expired': { title: 'This invitation has expired', detail: 'Ask the sender for a new one.' },
  'join-revoked': { title: 'This invitation was revoked', detail: 'Ask the sender for a new one.' },
  'wrong-email': {
    title: 'This invitation is for someone else',
    detail:
      "It was sent to an email address that isn't on this account. If it is yours, sign in with the account that has it.",
  },
  'inviter-may-not': {
    title: 'This invitation is no longer valid',
    detail: 'Its creator can no longer add members. Ask for a new one.',
  },
}

/** Describes an error after which the invitation cannot be accepted; returns undefined for temporary failures. */
export function findFinalError(error: unknown): FinalError | undefined {
  const problem = error instanceof ApiError ? error.problem : undefined
  if (!problem) return undefined
  // The detail names the domains.
  if (problem.code === 'wrong-domain') return { title: 'This invitation is restricted', detail: problem.detail ?? '' }
  return finalErrors[problem.code]
}
