import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import { useCurrentUser } from './page-user.ts'
import { useSignInUrl } from './sign-in-url.ts'

/** The page for unknown paths, and for pages that the user may not see: the two are indistinguishable. */
export function NotFoundPage() {
  const user = useCurrentUser()
  const signInUrl = useSignInUrl()
  // The sign-in is a page of the server: a link within the app would end at the guard, which leads back here.
  const link = (text: string) => (
    <a className="link" href={signInUrl}>
      {text}
    </a>
  )
  return (
    <Sheet seed="not found" title="Not Found">
      <p className="text-balance">We couldn't find that page. Check the URL and try again.</p>
      <p className="mt-2 text-balance text-ink2">
        {user ? (
          <>You may need to {link('use a different account')} to view this page.</>
        ) : (
          <>You may need to {link('sign in')} to view this page.</>
        )}
      </p>
      <Link to="/" className={`${buttonClass('primary')} mt-6 h-11 w-full`}>
        Go to the home page
      </Link>
    </Sheet>
  )
}
