/**
 * Sentences for events of the actor's own account, completed by the actor's name: “Eve …”. A sentence that begins with
 * a capital has no actor. `{idp}` is an identity provider, `{client}` an application.
 */
export const ownSentences = {
  'signin.succeeded': 'signed in with {idp}',
  'signin.failed': 'Sign-in failed',
  signout: 'signed out',
  'signout.everywhere': 'signed out {target} everywhere',
  'session.revoked': 'ended a session of {target}',
  'notice.disputed': 'Access ended by the link of an email',
  'login.linked': 'linked a login at {idp} to {target}',
  'login.unlinked': 'unlinked a login at {idp} from {target}',
  'connection.linked': 'connected the {connector} account {label} to {target}',
  'connection.moved': 'moved the {connector} account {label} from {target}',
  'connection.move-undone': 'The {connector} account {label} went back to {target}',
  'connection.removed': 'removed the {connector} account {label} from {target}',
  'client.authorized': 'authorised an app',
  'client.refused': 'denied an app',
  'device.approved': 'approved a device',
  'device.denied': 'denied a device',
  'device.confirmed': 'confirmed a device with its PIN',
  'grant.revoked': "revoked an app's access to the account of {target}",
  'developer-token.revoked': 'revoked a developer token',
  'personal-token.created': 'created a personal token',
  'personal-token.revoked': 'revoked a personal token of {target}',
  'directory.password-refused': 'Wrong password entered',
  'directory.locked': 'Locked for 15 minutes after too many wrong passwords',
  'directory.guesses-stopped': 'Sign-in limited to known browsers for 24 hours after 100 wrong passwords',
}

/** Variants for events where actor and target are the same user, if worded differently. */
export const selfSentences: Record<string, string> = {
  'signout.everywhere': 'signed out everywhere',
  'session.revoked': 'ended a session',
  'login.linked': 'linked a login at {idp}',
  'login.unlinked': 'unlinked a login',
  'connection.linked': 'connected an account',
  'connection.moved': 'Connected account moved to another user',
  'connection.move-undone': 'Connected account moved back to you',
  'connection.removed': 'removed a connected account',
  'grant.revoked': "revoked an app's access",
  'personal-token.revoked': 'revoked a personal token',
}
