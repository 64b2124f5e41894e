import { revokeOtherSessions } from '@passport/contract/accounts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { endSession } from '../app/sign-out.ts'
import { Check } from '../ui/Check.tsx'
import { Confirm } from '../ui/Dialog.tsx'

interface SessionsDialogProps {
  /** The sessions to end; undefined closes the dialog. */
  asked: 'others' | 'all' | undefined
  /** The number of other sessions. */
  others: number
  onClose: () => void
}

/** Asks before the other sessions, or all, are ended. */
export function SessionsDialog({ asked, others, onClose }: SessionsDialogProps) {
  const queryClient = useQueryClient()
  const [withTokens, setWithTokens] = useState(false)
  const revokeOthers = useMutation({
    mutationFn: () => call(revokeOtherSessions, {}),
    onSuccess: ({ revoked }) => reportSuccess(`${revoked === 1 ? '1 session' : `${revoked} sessions`} ended`),
    onError: (error) => reportFailure('end the session', error),
    onSettled: () => {
      onClose()
      void queryClient.invalidateQueries()
    },
  })
  return (
    <>
      <Confirm
        isOpen={asked === 'others'}
        title={`End ${others === 1 ? '1 other session' : `${others} other sessions`}?`}
        action={others === 1 ? 'End session' : `End ${others} sessions`}
        isBusy={revokeOthers.isPending}
        onConfirm={() => revokeOthers.mutate()}
        onClose={onClose}
      >
        Those browsers have to sign in again. This one stays signed in.
      </Confirm>
      <Confirm
        isOpen={asked === 'all'}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => void endSession({ everywhere: true, personalTokens: withTokens })}
        onClose={onClose}
      >
        Ends all sessions, including this one. Every app that uses this account will ask you to sign in again.
        <div className="mt-1.5">
          <Check checked={withTokens} onChange={({ target }) => setWithTokens(target.checked)}>
            Revoke personal tokens too
          </Check>
        </div>
      </Confirm>
    </>
  )
}
