import { redirect } from '@tanstack/react-router'
import { currentUserQuery, getPollState, hasRole } from './current-user.ts'
import { queryClient } from './query-client.ts'

/** The requirement of a page. A role implies being signed in; no role implies another. */
export type Needs = 'signedIn' | 'developer' | 'admin'

/** The requested page. */
export interface Target {
  location: { publicHref: string }
}

/** Thrown if the server has not answered who the user is: an outage, about which the page says so, at its own URL. */
export class UserUnknown extends Error {
  override name = 'UserUnknown'
}

/**
 * Admits users who may see a page and redirects all others to Not Found with the requested URL. Runs before any code of
 * the page is loaded. The URL includes the base, because sign-in strips its four characters.
 */
export const guard = (needs: Needs | undefined) => async (target: Target) => {
  if (!needs) return
  const user = await queryClient.ensureQueryData(currentUserQuery)
  const isAllowed =
    needs === 'signedIn' ? user !== null : hasRole(user, needs === 'admin' ? 'Passport.Admin' : 'Passport.Developer')
  if (isAllowed) return
  if (user === null && getPollState().failures > 0) throw new UserUnknown()
  throw redirect({ to: '/notfound', search: { returnUrl: target.location.publicHref } as never, replace: true })
}
