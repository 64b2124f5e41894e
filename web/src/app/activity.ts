import { ownSentences, selfSentences } from '../audit/own-sentences.ts'
import { capitalize } from '../ui/capitalize.ts'

/** An audit event; `reason` explains a failure. */
interface Event {
  action: string
  /** The display name of the identity provider. */
  idpName: string | null
  reason: string | null
}

/** Formats an event of the user's own account as a sentence. */
export function formatActivity({ action, reason, idpName }: Event): string {
  const sentence = selfSentences[action] ?? (ownSentences as Record<string, string>)[action] ?? action
  const reasonText = action === 'signin.failed' && reason ? `: ${reason.replaceAll('-', ' ')}` : ''
  return sentence === action
    ? sentence
    : capitalize(sentence.replace('{idp}', idpName ?? 'an identity provider')) + reasonText
}

/** Reports whether the user should check an event: a failed sign-in, a lost account, or an action of the directory. */
export const needsAttention = (action: string): boolean =>
  action === 'signin.failed' || action === 'connection.moved' || action.startsWith('directory.')
