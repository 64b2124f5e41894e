import type { User, UserSummary } from '@passport/contract/users'
import type { Login } from '../accounts/store.ts'
import type { Upstreams } from '../identity-providers/upstreams.ts'
import { toPictureUrl } from '../profile/avatar-url.ts'
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
      email,
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

/** Creates a function that formats a login for administrators. */
export const createLoginMapper =
  (upstreams: Upstreams) =>
  ({ id, providerId, subject, label, linkedAt, lastUsedAt }: Login): User['logins'][number] => ({
    id,
    provider: { id: providerId, name: upstreams.find(providerId)?.name ?? providerId },
    externalId: subject,
    label,
    linkedAt,
    lastUsedAt,
  })
