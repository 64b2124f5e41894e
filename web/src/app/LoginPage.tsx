import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import { formatPageTitle } from './brand.ts'
import { parseReturnUrl } from './return-url.ts'

/** The delay before the page shows a link to continue. */
const slowAfterMs = 3000

/** The landing page of the server's sign-in: continues to the requested page, which is always within this app. */
export function LoginPage() {
  const router = useRouter()
  const [isSlow, setSlow] = useState(false)
  // Read once: when this page is left, the location is already that of the next one.
  const [path] = useState(() => parseReturnUrl(router.latestLocation.search['returnUrl' as never]))

  useEffect(() => {
    // The router sets the title once no navigation is pending; here one always is.
    document.title = formatPageTitle('Redirecting...')
    let hasLeft = false
    // Through the router's history, not `window`: the path always stays within the app.
    const continueToPage = () => hasLeft || router.history.replace(`/app${path}`)
    // This page stays until the next one can be shown.
    router.preloadRoute({ href: path } as never).then(continueToPage, continueToPage)
    const timer = setTimeout(() => setSlow(true), slowAfterMs)
    return () => {
      hasLeft = true
      clearTimeout(timer)
    }
  }, [router, path])

  return (
    <Sheet seed="stage" title="Redirecting...">
      <p className="text-ink2">You're signed in. Your page opens in a moment.</p>
      <p className="mt-6 min-h-11 w-full">
        {isSlow && (
          <a className={`${buttonClass('primary')} h-11 w-full`} href={`/app${path}`}>
            Continue
          </a>
        )}
      </p>
    </Sheet>
  )
}
