import { redirect } from '@tanstack/react-router'
import { currentUserQuery, hasRole } from './current-user.ts'
import { queryClient } from './query-client.ts'

/** Who may open a page. A role includes being signed in; no role includes another. */
export type Needs = 'signedIn' | 'developer' | 'admin'

/** The page that is to be opened. */
export interface Target {
  location: { publicHref: string }
}

/**
 * Lets pass who may see a page and sends everyone else to Not Found, which knows where they wanted to go. Runs before
 * anything of the page is loaded. The target has the base in it, because sign-in takes its four characters off again.
 */
export const guard = (needs: Needs | undefined) => async (target: Target) => {
  if (!needs) return
  const user = await queryClient.ensureQueryData(currentUserQuery)
  const isLetIn =
    needs === 'signedIn' ? user !== null : hasRole(user, needs === 'admin' ? 'Passport.Admin' : 'Passport.Developer')
  if (isLetIn) return
  throw redirect({ to: '/notfound', search: { returnUrl: target.location.publicHref } as never, replace: true })
}
