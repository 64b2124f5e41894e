import { listUserSessions, revokeUserSession, type User } from '@passport/contract/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call, failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { SessionRow } from '../app/SessionRow.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
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
        {sessions?.map((session) => (
          <SessionRow key={session.id} session={session} isBusy={end.isPending} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
    </Card>
  )
}
