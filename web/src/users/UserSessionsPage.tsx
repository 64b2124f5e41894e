import { listUserSessions, revokeUserSession, type User } from '@passport/contract/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Laptop, Smartphone } from 'lucide-react'
import { call, failureOf, query } from '../app/api.ts'
import { useProviderName } from '../app/provider-names.ts'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { UserFrame } from './UserFrame.tsx'

/** The browsers in which a person is signed in. */
export function UserSessionsPage() {
  return <UserFrame>{(user) => <Sessions user={user} />}</UserFrame>
}

function Sessions({ user }: { user: User }) {
  const params = { userId: user.id }
  const { data: sessions, error, refetch } = useQuery(query(listUserSessions, { params }))
  const nameOf = useProviderName()
  const end = useMutation({
    mutationFn: (sessionId: string) => call(revokeUserSession, { params: { ...params, sessionId } }),
    onSuccess: () => void toast({ type: 'success', content: 'The session is ended' }),
    onError: (error) => void toast({ type: 'error', content: `Not ended: ${failureOf(error).detail}` }),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
  return (
    <Card title="Sessions" about="A session ends after 12 hours without them, and after 7 days in any case.">
      {!sessions && <Skeleton label="Loading sessions" rows={2} />}
      {sessions?.length === 0 && <Empty kind="nothing yet" title="Not signed in anywhere" />}
      <ul className="px-5 pb-2">
        {sessions?.map(({ id, userAgent, ip, idp, createdAt, lastSeenAt }) => {
          const Icon = userAgent.device === 'mobile' || userAgent.device === 'tablet' ? Smartphone : Laptop
          const program = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
              <Icon size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
              <div className="min-w-0 flex-1 basis-56">
                <p className="font-[600]">{program}</p>
                <p className="text-ink2">
                  {ip}, through {nameOf(idp)}
                </p>
              </div>
              <p className="text-[13px] text-ink3">
                signed in <Moment at={createdAt} />, seen <Moment at={lastSeenAt} />
              </p>
              <Button
                isSmall
                look="danger"
                isBusy={end.isPending}
                aria-label={`End the session of ${program}`}
                onClick={() => end.mutate(id)}
              >
                End
              </Button>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
