import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Seal } from '../ui/Seal.tsx'
import { windowTitle } from './brand.ts'
import { pathAfterLogin } from './return-url.ts'

/** After so long a person may want to go on by hand. */
const patienceMs = 3000

/** Where the server's sign-in leads: goes on to the page that the person wanted, which is always one of this app. */
export function LoginPage() {
  const router = useRouter()
  const [isSlow, setSlow] = useState(false)
  // Taken once: by the time this page leaves, the address is already that of the next one.
  const [path] = useState(() => pathAfterLogin(router.latestLocation.search['returnUrl' as never]))

  useEffect(() => {
    // The router names the window once nothing is on its way any more: here something always is.
    document.title = windowTitle('Redirecting...')
    let isLeft = false
    // By the history and not the window: whatever the path is, it is one of ours.
    const goOn = () => isLeft || router.history.replace(`/app${path}`)
    // This page stays until the next one can be shown.
    router.preloadRoute({ href: path } as never).then(goOn, goOn)
    const slow = setTimeout(() => setSlow(true), patienceMs)
    return () => {
      isLeft = true
      clearTimeout(slow)
    }
  }, [router, path])

  return (
    <div className="grid justify-items-center gap-4 text-center">
      <Seal seed="stage" size={104} isFoil />
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
