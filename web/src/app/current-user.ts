import { createApiCall } from '@passport/contract/call'
import { type CurrentUser, getCurrentUser } from '@passport/contract/current-user'
import { queryOptions } from '@tanstack/react-query'

/** The interval of the current-user poll (specification, section 9). */
const pollMs = 30_000

/** Bypasses `app/api`, whose calls depend on this result. */
const send = createApiCall(location.origin)

/**
 * The current user, polled at the start and every 30 s, even while the tab is hidden. Any failure means signed out. An
 * equal result does not re-render the page.
 */
export const currentUserQuery = queryOptions({
  queryKey: ['current-user'],
  queryFn: ({ signal }): Promise<CurrentUser | null> => send(getCurrentUser, {}, { signal }).catch(() => null),
  refetchInterval: pollMs,
  refetchIntervalInBackground: true,
  staleTime: pollMs,
  retry: false,
})

export type Role = 'Passport.Admin' | 'Passport.Developer'

/** Role names are case-sensitive. */
export const hasRole = (user: CurrentUser | null, role: Role): boolean => user?.roles.includes(role) ?? false

/** The change of the session since the page was opened, as found by the poll. */
export type SessionChange = 'none' | 'signed out' | 'another user' | 'other access'

/** Compares the user who opened the page with the current user. */
export function compareSessions(opened: CurrentUser | null, current: CurrentUser | null): SessionChange {
  if (!opened) return 'none'
  if (!current) return 'signed out'
  if (opened.claims.sub !== current.claims.sub) return 'another user'
  return opened.roles.join() === current.roles.join() ? 'none' : 'other access'
}
