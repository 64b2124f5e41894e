import { listUserSessions, revokeUserSession, type User } from '@passport/contract/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { SessionRow } from '../app/SessionRow.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The sessions of a user. */
export function UserSessionsPage() {
  return <UserFrame>{(user) => <Sessions user={user} />}</UserFrame>
}

function Sessions({ user }: { user: User }) {
  const params = { userId: user.id }
  const { data: sessions, error, refetch } = useQuery(query(listUserSessions, { params }))
  const end = useMutation({
    mutationFn: (sessionId: string) => call(revokeUserSession, { params: { ...params, sessionId } }),
    onSuccess: () => reportSuccess('Session ended'),
    onError: (error) => reportFailure('end the session', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  return (
    <Card title="Sessions" description="Sessions end after 12 hours of inactivity, or 7 days at most.">
      {!sessions && <Skeleton label="Loading sessions" rows={2} />}
      {sessions?.length === 0 && <Empty kind="nothing yet" title="No active sessions" />}
      <ul className="px-5 pb-2">
        {sessions?.map((session) => (
          <SessionRow key={session.id} session={session} isBusy={end.isPending} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
    </Card>
  )
}
