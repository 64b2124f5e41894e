import { asStart, ownSentences, toOneself } from '../audit/own-sentences.ts'

/** What happened, as the audit names it; `reason` says why, where it failed. */
interface Event {
  action: string
  idp: string | null
  reason: string | null
}

/** An event of one's own account in a sentence; `nameOf` tells what people call a provider. */
export function sentenceOf({ action, reason, idp }: Event, nameOf: (id: string) => string): string {
  const told = toOneself[action] ?? (ownSentences as Record<string, string>)[action] ?? action
  const why = action === 'signin.failed' && reason ? `: ${reason.replaceAll('-', ' ')}` : ''
  return told === action ? told : asStart(told.replace('{idp}', idp ? nameOf(idp) : 'an identity provider')) + why
}

/** Whether an event is one to look at twice. */
export const isTrouble = (action: string): boolean => action === 'signin.failed' || action.startsWith('directory.')
