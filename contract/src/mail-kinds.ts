/** The kinds of email that Passport sends, as administrators see them. */
export const mailKinds = {
  'new-device': {
    name: 'New device',
    when: 'A user signs in with a browser for the first time. Users can switch it off.',
  },
  'email-changed': { name: 'Email changed', when: 'The email of an account changes. It is sent to both addresses.' },
  'username-changed': { name: 'Username changed', when: 'The username of an account changes.' },
  'login-linked': { name: 'Sign-in method added', when: 'An identity is linked to an account.' },
  'login-unlinked': { name: 'Sign-in method removed', when: 'An identity is unlinked from an account.' },
  'connection-moved': {
    name: 'Connected account moved',
    when: 'A connected account moves to another user. It is sent to both.',
  },
  'personal-token-created': { name: 'Personal token created', when: 'A user creates a personal token.' },
  'personal-token-revoked': {
    name: 'Personal token revoked',
    when: 'An administrator revokes a personal token of a user.',
  },
  'personal-tokens-expiring': { name: 'Personal tokens expire', when: 'A week before personal tokens expire.' },
  'password-guesses': {
    name: 'Wrong passwords',
    when: 'Many wrong passwords are entered for a user of the built-in directory.',
  },
  'sign-up-code': {
    name: 'Sign-up code',
    when: 'Someone creates an account, and enters this code to prove the address.',
  },
  'account-exists': { name: 'Account exists', when: 'Someone creates an account with an address that has one.' },
  invitation: { name: 'Invitation', when: 'A user is invited to the installation or to an organisation.' },
  'consent-revoked': {
    name: 'Consent revoked',
    when: 'A Microsoft Entra tenant removes its consent. It is sent to the owners of the organisation.',
  },
  'roles-left': {
    name: 'Restored without roles',
    when: 'Provisioning restores a deleted user or group that had roles. It is sent to the owners of the organisation.',
  },
  subscription: {
    name: 'Marketplace subscription',
    when: 'A subscription of AWS Marketplace is set up, becomes active or ends. It is sent to the buyer.',
  },
  test: { name: 'Test email', when: 'An administrator sends it on this page.' },
} as const

/** The id of a kind. */
export type MailKindId = keyof typeof mailKinds

/** The kinds that report a change of an account, with a link that ends its sessions and tokens. */
export const noticeKinds = [
  'new-device',
  'email-changed',
  'username-changed',
  'login-linked',
  'login-unlinked',
  'connection-moved',
  'personal-token-created',
] as const satisfies MailKindId[]

export type NoticeKind = (typeof noticeKinds)[number]
