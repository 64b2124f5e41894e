import { caller } from '@passport/contract/call'
import { type CurrentUser, getCurrentUser } from '@passport/contract/current-user'
import { queryOptions } from '@tanstack/react-query'

/** How often the server is asked who is signed in (specification, section 9). */
const pollMs = 30_000

/** Not by way of `app/api`, whose calls depend on what this finds. */
const ask = caller(location.origin)

/**
 * Who is signed in, asked at the start and every 30 s, also while the tab is hidden. Any failure means that nobody is.
 * What is equal to what was known before changes nothing on the page.
 */
export const currentUserQuery = queryOptions({
  queryKey: ['current-user'],
  queryFn: ({ signal }): Promise<CurrentUser | null> => ask(getCurrentUser, {}, { signal }).catch(() => null),
  refetchInterval: pollMs,
  refetchIntervalInBackground: true,
  staleTime: pollMs,
  retry: false,
})

export type Role = 'Passport.Admin' | 'Passport.Developer'

/** Roles go by their exact names. */
export const hasRole = (user: CurrentUser | null, role: Role): boolean => user?.roles.includes(role) ?? false

/** What has happened to the session since the page was opened, as the poll found. */
export type SessionChange = 'none' | 'signed out' | 'another person' | 'other access'

/** What is different between who opened the page and who is signed in now. */
export function sessionChange(opened: CurrentUser | null, now: CurrentUser | null): SessionChange {
  if (!opened) return 'none'
  if (!now) return 'signed out'
  if (opened.claims.sub !== now.claims.sub) return 'another person'
  return opened.roles.join() === now.roles.join() ? 'none' : 'other access'
}
