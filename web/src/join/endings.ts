import { ApiError } from '@passport/contract/call'

interface Ending {
  title: string
  what: string
}

const endings: Record<string, Ending> = {
  'join-not-found': {
    title: 'There is no such invitation',
    what: 'Look whether the whole address was copied, or ask whoever sent it for another.',
  },
  'join-used': {
    title: 'This invitation has been used up',
    what: 'As many people have joined by it as may. Ask whoever sent it for another.',
  },
  'join-expired': { title: 'This invitation has expired', what: 'Ask whoever sent it for another.' },
  'join-revoked': { title: 'This invitation was withdrawn', what: 'Ask whoever sent it for another.' },
  'wrong-email': {
    title: 'This invitation is for someone else',
    what: 'It is for an e-mail address that is not yours here. If it is yours too, sign in with the account that has it.',
  },
  'inviter-may-not': {
    title: 'This invitation is no longer good',
    what: 'Whoever made it may not let people in any more. Ask for another.',
  },
}

/** What an answer of the service means for whoever holds an invitation; undefined where it may go better next time. */
export function endingOf(error: unknown): Ending | undefined {
  const problem = error instanceof ApiError ? error.problem : undefined
  if (!problem) return undefined
  // It names the domains.
  if (problem.code === 'wrong-domain') return { title: 'This invitation is for others', what: problem.detail ?? '' }
  return endings[problem.code]
}
