import type { User, UserSummary } from '@passport/contract/users'
import type { Login } from '../accounts/store.ts'
import type { Upstreams } from '../identity-providers/upstreams.ts'
import type { UserRow } from './store.ts'

/** Formats a user for a list. */
export function toUserSummary(row: UserRow): UserSummary {
  const { id, username, displayName, email, emailVerified, disabledAt, status, roles, effectiveRoles, orgs } = row
  const { createdAt, updatedAt, lastSignInAt, version } = row
  return {
    id,
    username,
    displayname: displayName,
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
