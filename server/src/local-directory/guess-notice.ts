import type { Services } from '../feature.ts'
import { sendMail } from '../mail/send.ts'
import { maxGuesses } from './lockout.ts'
import type { DirectoryUser } from './store.ts'

/**
 * Emails a user that sign-in with their password is limited after many wrong ones. Does not wait for the email: the
 * response time must not reveal whether a name exists.
 */
export function notifyOfGuesses(services: Services, { name, displayName, email }: DirectoryUser): void {
  const { sql, config, branding, log } = services
  sendMail(sql, services, {
    to: { name: displayName, address: email },
    subject: `Many wrong passwords for your ${branding.current().name} account`,
    paragraphs: [
      `Hello ${displayName},`,
      `${maxGuesses} wrong passwords were entered for your username ${name} within a day. For the next 24 hours, your password is accepted only in browsers in which you have signed in before.`,
      'An administrator can set a new password for you, which works immediately.',
    ],
    action: { label: 'See your activity', url: `${config.publicUrl}/app/account/logins` },
  }).catch((error) => log.error({ err: error }, 'guess-notice-failed'))
}
