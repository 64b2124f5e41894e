import { listSessions, revokeOtherSessions, revokeSession, type Session } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Laptop, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { useProviderName } from '../app/provider-names.ts'
import { leave } from '../app/sign-out.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Tag } from '../ui/Tag.tsx'
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

interface RowProps {
  session: Session
  isBusy: boolean
  onEnd: () => void
}

function SessionRow({ session: { userAgent, ip, idp, lastSeenAt, createdAt, current }, isBusy, onEnd }: RowProps) {
  const nameOf = useProviderName()
  const Icon = userAgent.device === 'mobile' || userAgent.device === 'tablet' ? Smartphone : Laptop
  const program = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <Icon size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-[600]">
          {program} {current && <Tag>this device</Tag>}
        </p>
        <p className="text-ink2">
          {ip}, through {nameOf(idp)}
        </p>
      </div>
      <p className="text-[13px] text-ink3">
        signed in <Moment at={createdAt} />, seen <Moment at={lastSeenAt} />
      </p>
      {!current && (
        <Button isSmall look="danger" isBusy={isBusy} onClick={onEnd} aria-label={`End the session of ${program}`}>
          End
        </Button>
      )}
    </li>
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
