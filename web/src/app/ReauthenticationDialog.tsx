import type { Problem } from '@passport/contract/problem'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { currentUserQuery } from './current-user.ts'
import { storeDrafts } from './drafts.ts'
import { allowLeaving } from './leaving.ts'
import { queryClient } from './query-client.ts'
import { openReauthenticationChannel } from './reauthentication-channel.ts'

/** Shows the dialog; resolves with whether the user has signed in again. */
export function confirmIdentity(problem: Problem): Promise<boolean> {
  const container = document.body.appendChild(document.createElement('div'))
  const root = createRoot(container)
  return new Promise<boolean>((resolve) => {
    root.render(<ReauthenticationDialog problem={problem} onDone={resolve} />)
  }).finally(() => {
    // The dialog must close before its removal, to restore the focus.
    container.querySelector('dialog')?.close()
    root.unmount()
    container.remove()
  })
}

interface ReauthenticationDialogProps {
  problem: Problem
  onDone: (isConfirmed: boolean) => void
}

export function ReauthenticationDialog({ problem, onDone }: ReauthenticationDialogProps) {
  const [popup, setPopup] = useState<Window>()
  useEffect(() => {
    const channel = openReauthenticationChannel()
    channel.onmessage = () => void readCurrentUser().then(() => onDone(true))
    return () => channel.close()
  }, [onDone])

  function signIn() {
    if (popup && !popup.closed) return popup.focus()
    const newWindow = open(
      formatForcedSignInUrl('/app/reauthenticated'),
      'passport-reauthentication',
      formatWindowFeatures(),
    )
    if (newWindow) return setPopup(newWindow)
    // Blocked. The page returns after the sign-in and offers the draft.
    storeDrafts()
    allowLeaving()
    location.assign(formatForcedSignInUrl(location.pathname + location.search))
  }
  const cancel = () => {
    popup?.close()
    onDone(false)
  }

  if (problem.reason === 'provider-cannot-prove')
    return (
      <Dialog isOpen onClose={cancel} title="Your sign-in can't be confirmed" role="alertdialog">
        <p className="mt-1.5 break-words text-ink2">{problem.detail}</p>
        <div className="mt-5 flex justify-end">
          <Button onClick={cancel}>Close</Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog isOpen onClose={cancel} title="Confirm it’s you" role="alertdialog">
      <p className="mt-1.5 text-ink2" aria-live="polite">
        {popup
          ? 'Complete the sign-in in the new window. This page then continues.'
          : 'You signed in a while ago. Sign in again to continue; nothing you entered is lost.'}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={cancel}>Cancel</Button>
        <Button variant="primary" onClick={signIn}>
          {popup ? 'Show the window' : 'Sign in again'}
        </Button>
      </div>
    </Dialog>
  )
}

/** Refreshes the current user. Another user may have signed in, which the pending calls check. */
async function readCurrentUser(): Promise<void> {
  await queryClient.cancelQueries(currentUserQuery)
  await queryClient.fetchQuery({ ...currentUserQuery, staleTime: 0 })
}

/** Returns the URL of a forced sign-in at the session's provider that returns to a page of the app. */
function formatForcedSignInUrl(returnUrl: string): string {
  const idp = queryClient.getQueryData(currentUserQuery.queryKey)?.claims.idp
  return `/login?${new URLSearchParams({ prompt: 'login', ...(idp && { idp }), returnUrl })}`
}

/** Formats the features of a popup in the middle of this window. */
function formatWindowFeatures(): string {
  const [width, height] = [480, 680]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  return `popup,width=${width},height=${height},left=${Math.max(0, left)},top=${Math.max(0, top)}`
}
