import type { MailKindId } from '@passport/contract/mail-kinds'
import * as account from './account-mails.ts'
import type { MailKind } from './kind.ts'
import * as other from './other-mails.ts'

interface DataOfKinds {
  'new-device': account.NewDevice
  'email-changed': account.EmailChange
  'username-changed': account.UsernameChange
  'login-linked': account.LoginChange
  'login-unlinked': account.LoginChange
  'connection-moved': account.MovedConnection
  'personal-token-created': account.CreatedToken
  'personal-token-revoked': { name: string }
  'personal-tokens-expiring': other.ExpiringTokens
  'password-guesses': { count: number; username: string }
  'sign-up-code': { code: string; minutes: number }
  'account-exists': Record<string, never>
  invitation: other.SentInvitation
  'consent-revoked': other.RevokedConsent
  'roles-left': other.LeftRoles
  subscription: other.SubscriptionChange
  test: { sender: string }
}

/** The data of a kind. */
export type MailData<Id extends MailKindId> = DataOfKinds[Id]

/** Every kind of email. */
export const kinds: { readonly [Id in MailKindId]: MailKind<DataOfKinds[Id]> } = {
  'new-device': account.newDevice,
  'email-changed': account.emailChanged,
  'username-changed': account.usernameChanged,
  'login-linked': account.loginLinked,
  'login-unlinked': account.loginUnlinked,
  'connection-moved': account.connectionMoved,
  'personal-token-created': account.personalTokenCreated,
  'personal-token-revoked': other.personalTokenRevoked,
  'personal-tokens-expiring': other.personalTokensExpiring,
  'password-guesses': other.passwordGuesses,
  'sign-up-code': other.signUpCode,
  'account-exists': other.accountExists,
  invitation: other.invitation,
  'consent-revoked': other.consentRevoked,
  'roles-left': other.rolesLeft,
  subscription: other.subscription,
  test: other.test,
}
