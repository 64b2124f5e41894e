import { useEffect } from 'react'
import { Sheet } from '../ui/Sheet.tsx'
import { openReauthenticationChannel } from './reauthentication-channel.ts'

/** The last page of a sign-in in a popup: notifies the waiting page and closes the popup. */
export function ReauthenticatedPage() {
  useEffect(() => {
    const channel = openReauthenticationChannel()
    channel.postMessage('signed in')
    channel.close()
    close()
  }, [])
  return (
    <Sheet seed="stage" title="You're signed in">
      <p className="text-ink2">You can close this window.</p>
    </Sheet>
  )
}
