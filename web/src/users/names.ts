import type { UserStatus, UserSummary } from '@passport/contract/users'
import type { Tone } from '../ui/Status.tsx'

/** What a person is called where they are only mentioned. */
export const nameOf = ({
  displayname,
  username,
  email,
  id,
}: Pick<UserSummary, 'displayname' | 'username' | 'email' | 'id'>) => displayname ?? username ?? email ?? id

export const statusNames: Record<UserStatus, string> = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }
export const statusTones: Record<UserStatus, Tone> = { active: 'ok', invited: 'warn', disabled: 'off' }

/** Why something could not be done to one of many, as a sentence. */
export const reasonOf = (code: string): string => reasons[code] ?? code
const reasons: Record<string, string> = {
  'user-not-found': 'Is not there any more.',
  'self-demotion': 'Is you: do this on your own page.',
  'last-admin': 'Nobody could run the console any more.',
  'role-not-yours-to-give': 'The role is not yours to give.',
  'username-taken': 'Someone else has the username now.',
  'email-taken': 'Someone else has the e-mail now.',
  'restore-expired': 'Was deleted more than 30 days ago.',
  'changed-since': 'Has been changed since.',
  'already-undone': 'Was undone already.',
  'internal-error': 'Something broke before it came to them: try again.',
}
