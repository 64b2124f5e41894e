import { listSessions, revokeOtherSessions, revokeSession } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { SessionRow } from '../app/SessionRow.tsx'
import { endSession } from '../app/sign-out.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { Confirm } from '../ui/Dialog.tsx'

/** The sessions of the current user. */
export function SessionsCard() {
  const sessions = useQuery(query(listSessions, {}))
  const queryClient = useQueryClient()
  const [asked, ask] = useState<'others' | 'all'>()
  const [withTokens, setWithTokens] = useState(false)
  const close = () => ask(undefined)
  const refresh = () => void queryClient.invalidateQueries()
  const reportError = (error: unknown) => reportFailure('end the session', error)
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeSession, { params: { id } }),
    // Not `updateOptimistically`, which this page of a first visit would have to load.
    onMutate: (id) =>
      queryClient.setQueryData(query(listSessions, {}).queryKey, (all) => all?.filter((session) => session.id !== id)),
    onSuccess: () => reportSuccess('Session ended'),
    onError: reportError,
    onSettled: refresh,
  })
  const revokeOthers = useMutation({
    mutationFn: () => call(revokeOtherSessions, {}),
    onSuccess: ({ revoked }) => reportSuccess(`${revoked === 1 ? '1 session' : `${revoked} sessions`} ended`),
    onError: reportError,
    onSettled: () => {
      close()
      refresh()
    },
  })
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0

  return (
    <Card title="Sessions" description="Sessions end after 12 hours of inactivity, or 7 days at most.">
      <Loaded query={sessions} label="Loading sessions" rows={2}>
        {(all) => (
          <ul className="px-4 pb-1.5 sm:px-[18px]">
            {all.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isCurrent={session.current}
                onEnd={() => revoke.mutate(session.id)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <div className="flex flex-wrap items-center gap-2 border-t border-hair px-4 py-3 sm:px-[18px]">
        <p className="flex-1 basis-44 text-ink2">Don't recognise something?</p>
        {others > 0 && (
          <Button isSmall onClick={() => ask('others')}>
            End other sessions
          </Button>
        )}
        <Button isSmall variant="danger" onClick={() => ask('all')}>
          Sign out everywhere
        </Button>
      </div>
      <Confirm
        isOpen={asked === 'others'}
        title={`End ${others === 1 ? '1 other session' : `${others} other sessions`}?`}
        action={others === 1 ? 'End session' : `End ${others} sessions`}
        isBusy={revokeOthers.isPending}
        onConfirm={() => revokeOthers.mutate()}
        onClose={close}
      >
        Those browsers have to sign in again. This one stays signed in.
      </Confirm>
      <Confirm
        isOpen={asked === 'all'}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => void endSession({ everywhere: true, personalTokens: withTokens })}
        onClose={close}
      >
        Ends all sessions, including this one. Every app that uses this account will ask you to sign in again.
        <div className="mt-1.5">
          <Check checked={withTokens} onChange={({ target }) => setWithTokens(target.checked)}>
            Revoke personal tokens too
          </Check>
        </div>
      </Confirm>
    </Card>
  )
}
