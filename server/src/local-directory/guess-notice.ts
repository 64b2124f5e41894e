import type { Services } from '../feature.ts'
import { sendMail } from '../mail/send.ts'
import { maxGuesses } from './lockout.ts'
import type { DirectoryUser } from './store.ts'

/**
 * Emails a user that sign-in with their password is limited after many wrong ones. Does not wait for the email: the
 * response time must not reveal whether a name exists.
 */
export function notifyOfGuesses(services: Services, { name, displayName, email }: DirectoryUser): void {
  const to = { name: displayName, address: email }
  sendMail(services.sql, services, to, 'password-guesses', { count: maxGuesses, username: name }).catch((error) =>
    services.log.error({ err: error }, 'guess-notice-failed'),
  )
}
