import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Seal } from '../ui/Seal.tsx'
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
    // By the history and not the window: whatever the path is, it is one of ours.
    router.history.replace(`/app${path}`)
    const slow = setTimeout(() => setSlow(true), patienceMs)
    return () => clearTimeout(slow)
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
