import type { UserStatus, UserSummary } from '@passport/contract/users'
import type { Tone } from '../ui/Status.tsx'

/** Returns the display name of a user, or else the username, the email or the id. */
export const nameOf = ({
  displayname,
  username,
  email,
  id,
}: Pick<UserSummary, 'displayname' | 'username' | 'email' | 'id'>) => displayname ?? username ?? email ?? id

export const statusNames: Record<UserStatus, string> = { active: 'Active', invited: 'Invited', disabled: 'Disabled' }
export const statusTones: Record<UserStatus, Tone> = { active: 'ok', invited: 'warn', disabled: 'off' }

interface Identifiers {
  username: string | null
  email: string | null
}

/** Returns the identifier shown beside a user's name: the email or, without one, the username. */
export const formatUserDetail = ({ username, email }: Identifiers): string =>
  email ?? (username === null ? '' : `@${username}`)
