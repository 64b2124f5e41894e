import { listSessions, revokeOtherSessions, revokeSession } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { SessionRow } from '../app/SessionRow.tsx'
import { leave } from '../app/sign-out.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { toast } from '../ui/toast.ts'

/** The browsers in which one is signed in. */
export function SessionsCard() {
  const sessions = useQuery(query(listSessions, {}))
  const queryClient = useQueryClient()
  const refresh = () => void queryClient.invalidateQueries()
  const complain = (error: unknown) => void toast({ type: 'error', content: `Not ended: ${failureOf(error).detail}` })
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeSession, { params: { id } }),
    onSuccess: () => void toast({ type: 'success', content: 'The session is ended' }),
    onError: complain,
    onSettled: refresh,
  })
  const revokeOthers = useMutation({
    mutationFn: () => call(revokeOtherSessions, {}),
    onSuccess: ({ revoked }) =>
      void toast({ type: 'success', content: `${revoked === 1 ? 'One session is' : `${revoked} sessions are`} ended` }),
    onError: complain,
    onSettled: refresh,
  })
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0

  return (
    <Card
      title="Where you are signed in"
      about="A session ends after 12 hours without you, and after 7 days in any case."
      action={
        others > 0 && (
          <Button isSmall isBusy={revokeOthers.isPending} onClick={() => revokeOthers.mutate()}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions} label="Loading sessions" rows={2}>
        {(all) => (
          <ul className="px-5 pb-2">
            {all.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isHere={session.current}
                isBusy={revoke.isPending}
                onEnd={() => revoke.mutate(session.id)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <SignOutEverywhere />
    </Card>
  )
}

function SignOutEverywhere() {
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-5 py-4">
      <p className="text-ink2">Something looks wrong? Sign out everywhere, of applications and devices too.</p>
      <Button isSmall look="danger" onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => void leave(true)}
        onClose={() => setAsking(false)}
      >
        All sessions end, this one too, and every application that you use with this account must ask you to sign in
        again.
      </Confirm>
    </div>
  )
}
