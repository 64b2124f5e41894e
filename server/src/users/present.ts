import type { User, UserSummary } from '@passport/contract/users'
import type { Login } from '../accounts/store.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
import { showEmail } from './show-email.ts'
import type { UserRow } from './store.ts'

/** Creates a function that formats a user for a list. */
export const createUserMapper =
  (publicUrl: string) =>
  (row: UserRow): UserSummary => {
    const { id, username, displayName, email, emailVerified, disabledAt, status, roles, effectiveRoles, orgs } = row
    const { createdAt, updatedAt, lastSignInAt, version } = row
    return {
      id,
      username,
      displayname: displayName,
      avatarPngUrl: toPictureUrl(publicUrl, row.pictureHash),
      email: email && showEmail(email),
      emailVerified,
      disabled: disabledAt !== null,
      status,
      roles,
      effectiveRoles,
      orgs,
      createdAt,
      updatedAt,
      lastSignInAt,
      version,
    }
  }

/** Creates a function that formats a login for administrators; `nameOf` names identity providers. */
export const createLoginMapper =
  (nameOf: (providerId: string) => string) =>
  ({ id, providerId, subject, label, linkedAt, lastUsedAt }: Login): User['logins'][number] => ({
    id,
    provider: { id: providerId, name: nameOf(providerId) },
    externalId: subject,
    label,
    linkedAt,
    lastUsedAt,
  })
