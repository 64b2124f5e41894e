import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Identicon } from '../ui/Identicon.tsx'
import { formatPageTitle } from './brand.ts'
import { parseReturnUrl } from './return-url.ts'

/** The delay before a manual link is shown. */
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
    <div className="grid justify-items-center gap-4 text-center">
      <Identicon seed="stage" size={104} isGold />
      <h1>Redirecting...</h1>
      {isSlow && (
        <p>
          <a className="link" href={`/app${path}`}>
            Continue
          </a>
        </p>
      )}
    </div>
  )
}
