import { redirect } from '@tanstack/react-router'
import { currentUserQuery, hasRole } from './current-user.ts'
import { queryClient } from './query-client.ts'

/** The requirement of a page. A role implies being signed in; no role implies another. */
export type Needs = 'signedIn' | 'developer' | 'admin'

/** The requested page. */
export interface Target {
  location: { publicHref: string }
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
  throw redirect({ to: '/notfound', search: { returnUrl: target.location.publicHref } as never, replace: true })
}
