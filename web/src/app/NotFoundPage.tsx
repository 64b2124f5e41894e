import { useRouterState } from '@tanstack/react-router'
import { Seal } from '../ui/Seal.tsx'
import { useCurrentUser } from './page-user.ts'
import { originalTarget, signInAddress } from './return-url.ts'

/** For every path that is not there, and for pages that whoever asked may not see: the two look alike. */
export function NotFoundPage() {
  const user = useCurrentUser()
  const target = useRouterState({
    select: ({ location }) =>
      originalTarget((location.search as Record<string, unknown>)['returnUrl'], location.publicHref),
  })
  // The sign-in is the server's: a link of the app would end at the guard, which leads here again.
  const link = (text: string) => (
    <a className="link" href={signInAddress(target)}>
      {text}
    </a>
  )
  return (
    <div className="mx-auto grid max-w-lg justify-items-center py-14 text-center">
      <Seal seed="not found" size={104} isFoil />
      <h1 className="mt-6">Not Found</h1>
      <p className="mt-3">We couldn't find that page. Check the URL and try again.</p>
      <p className="mt-2 text-ink2">
        {user ? (
          <>You may need to {link('use a different account')} to view this page.</>
        ) : (
          <>You may need to {link('sign in')} to view this page.</>
        )}
      </p>
    </div>
  )
}
