import { useRouterState } from '@tanstack/react-router'
import { findReturnUrl, formatSignInUrl } from './return-url.ts'

/**
 * Returns the URL of the server's sign-in that returns to this page, with its query and fragment, or to the page that
 * was refused.
 */
export const useSignInUrl = (): string =>
  useRouterState({
    select: ({ location }) =>
      formatSignInUrl(findReturnUrl((location.search as Record<string, unknown>)['returnUrl'], location.publicHref)),
  })
