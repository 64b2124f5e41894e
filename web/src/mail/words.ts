import type { Mail, MailState } from '@passport/contract/mail'
import { mailKinds } from '@passport/contract/mail-kinds'
import type { Tone } from '../ui/Status.tsx'

/** The word and the tone of each state. */
export const states: Record<MailState, { label: string; tone: Tone }> = {
  queued: { label: 'Waiting', tone: 'waiting' },
  sent: { label: 'Sent', tone: 'ok' },
  failed: { label: 'Failed', tone: 'bad' },
  off: { label: 'Not sent', tone: 'off' },
}

/** Returns the name of a kind; earlier versions stored none. */
export const nameKind = (kind: string | null): string =>
  kind !== null && Object.hasOwn(mailKinds, kind) ? mailKinds[kind as keyof typeof mailKinds].name : 'Email'

/** Returns the response of the mail server as one line: its code and its text, without the words of the library. */
export function describeResponse({ state, response }: Pick<Mail, 'state' | 'response'>): string {
  if (state === 'off') return 'No mail server'
  return (response ?? '').replace(/^(?:Message failed|Can't send mail - all recipients were rejected): /, '')
}
