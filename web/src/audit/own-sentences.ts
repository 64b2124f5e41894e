/**
 * What people do to their own account and what happens to it, said of whoever did it: “Eve …”. A sentence that begins
 * with a capital has nobody who did it. `{idp}` is an identity provider, `{client}` an application.
 */
export const ownSentences = {
  'signin.succeeded': 'signed in through {idp}',
  'signin.failed': 'Sign-in failed',
  signout: 'signed out',
  'signout.everywhere': 'signed {target} out everywhere',
  'session.revoked': 'ended a session of {target}',
  'login.linked': 'linked a login at {idp} to {target}',
  'login.unlinked': 'unlinked a login at {idp} from {target}',
  'client.authorized': 'let an application in',
  'client.refused': 'kept an application out',
  'device.approved': 'let a device in',
  'device.denied': 'kept a device out',
  'device.confirmed': 'let a device in, which gave its PIN',
  'grant.revoked': 'took back what an application may do for {target}',
  'directory.password-refused': 'Somebody gave a wrong password',
  'directory.locked': 'Too many wrong passwords: locked for 15 minutes',
}

/** The same where people do it to themselves, as far as it is said in another way. */
export const toOneself: Record<string, string> = {
  'signout.everywhere': 'signed out everywhere',
  'session.revoked': 'ended a session',
  'login.linked': 'linked a login at {idp}',
  'login.unlinked': 'unlinked a login',
  'grant.revoked': 'took back what an application may do',
}

/** A name of the audit with its first letter large, as a sentence begins. */
export const asStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
