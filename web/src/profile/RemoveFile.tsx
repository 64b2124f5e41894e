import type { deleteAvatarGlbUrl, deleteAvatarPngUrl } from '@passport/contract/avatar'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { Confirm } from '../ui/Dialog.tsx'
import { refreshAvatars } from './refresh-avatars.ts'

interface RemoveFileProps {
  /** `me`, or the id of another user for administrators. */
  profileId: string
  endpoint: typeof deleteAvatarPngUrl | typeof deleteAvatarGlbUrl
  kind: 'picture' | '3D avatar'
  isSmall?: boolean
  /** What the user sees after the removal, as a sentence. */
  children: ReactNode
}

/** A button that removes a picture or a model after a question, because it cannot be restored. */
export function RemoveFile({ profileId, endpoint, kind, isSmall = false, children }: RemoveFileProps) {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  async function remove() {
    setBusy(true)
    try {
      await call(endpoint, { params: { profileId } })
      reportSuccess(`${capitalize(kind)} removed`)
    } catch (error) {
      reportFailure(`remove the ${kind}`, error)
    }
    refreshAvatars()
    setBusy(false)
    setAsking(false)
  }
  return (
    <>
      <Button variant="ghost" isSmall={isSmall} className="text-bad" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        isOpen={isAsking}
        title={`Remove the ${kind}?`}
        action={`Remove ${kind}`}
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {children} Caches may keep a copy for a year.
      </Confirm>
    </>
  )
}
