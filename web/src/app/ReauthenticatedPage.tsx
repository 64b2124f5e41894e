import { useEffect } from 'react'
import { openReauthenticationChannel } from './reauthentication-channel.ts'

/** The end of a sign-in in a popup: notifies the waiting page and closes. */
export function ReauthenticatedPage() {
  useEffect(() => {
    const channel = openReauthenticationChannel()
    channel.postMessage('signed in')
    channel.close()
    close()
  }, [])
  return (
    <div className="text-center">
      <h1>You're signed in</h1>
      <p className="mt-2 text-ink2">You can close this window.</p>
    </div>
  )
}
