/** What happened, as the audit names it. */
interface Happened {
  action: string
  /** The name of the identity provider. */
  provider: string | null
  reason: string | null
}

const sentences: Record<string, (event: Happened) => string> = {
  'signin.succeeded': ({ provider }) => `Signed in through ${provider ?? 'an identity provider'}`,
  'signin.failed': ({ reason }) => `Sign-in failed${reason ? `: ${reason.replaceAll('-', ' ')}` : ''}`,
  signout: () => 'Signed out',
  'signout.everywhere': () => 'Signed out everywhere',
  'session.revoked': () => 'Ended a session',
  'login.linked': ({ provider }) => `Linked a login at ${provider ?? 'an identity provider'}`,
  'login.unlinked': () => 'Unlinked a login',
  'client.authorized': () => 'Let an application in',
  'client.refused': () => 'Kept an application out',
  'device.approved': () => 'Let a device in',
  'device.denied': ({ reason }) =>
    reason === 'wrong-pin' ? 'A device was kept out: its PIN was wrong' : 'Kept a device out',
  'device.confirmed': () => 'A device gave its PIN, and is in',
  'grant.revoked': () => 'Took back what an application may do',
  'directory.password-refused': () => 'Somebody gave a wrong password',
  'directory.locked': () => 'Too many wrong passwords: locked for 15 minutes',
}

interface Event extends Omit<Happened, 'provider'> {
  idp: string | null
}

/** An event of one's own account in a sentence; `nameOf` tells what people call a provider. */
export function sentenceOf({ action, reason, idp }: Event, nameOf: (id: string) => string): string {
  return sentences[action]?.({ action, reason, provider: idp && nameOf(idp) }) ?? action
}

/** Whether an event is one to look at twice. */
export const isTrouble = (action: string): boolean => action === 'signin.failed' || action.startsWith('directory.')
