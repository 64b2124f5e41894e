import { listUserSessions, revokeUserSession, type User } from '@passport/contract/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { editResponse, updateOptimistically } from '../app/optimistic-update.ts'
import { queryClient } from '../app/query-client.ts'
import { describeEnd, SessionRow } from '../app/SessionRow.tsx'
import { CardFoot, CardText } from '../directory/CardRows.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { useUserActions } from './use-user-actions.tsx'

/** The sessions of a user, the last used first; at most `limit`, with a link to the others. */
export function UserSessions({ user, limit = Number.POSITIVE_INFINITY }: { user: User; limit?: number }) {
  const params = { userId: user.id }
  const { data, error, refetch } = useQuery(query(listUserSessions, { params }))
  const { askToSignOut, dialogs } = useUserActions()
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      updateOptimistically(
        [editResponse(listUserSessions, { params }, (all) => all.filter(({ id }) => id !== sessionId))],
        () => call(revokeUserSession, { params: { ...params, sessionId }, query: {} }),
      ),
    onSuccess: ({ personalTokensLeft }) => reportSuccess(describeEnd(personalTokensLeft)),
    onError: (error) => reportFailure('end the session', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  const sessions = data?.toSorted((one, other) => other.lastSeenAt.localeCompare(one.lastSeenAt)) ?? []
  return (
    <Card
      title="Sessions"
      action={
        sessions.length > 0 && (
          <Button isSmall onClick={() => askToSignOut(user)}>
            Sign out everywhere
          </Button>
        )
      }
    >
      {!data && <Skeleton label="Loading sessions" rows={2} />}
      {data && sessions.length === 0 && <NoSessions isBrief={limit < Number.POSITIVE_INFINITY} />}
      <ul className="px-4 pb-2 sm:px-[18px]">
        {sessions.slice(0, limit).map((session, index) => (
          <SessionRow
            key={session.id}
            session={session}
            isLatest={index === 0 && sessions.length > 1}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      {sessions.length > limit && (
        <CardFoot>
          <Link to="/admin/users/$userId/sessions" params={params} className="link text-[13px]">
            All {sessions.length} sessions
          </Link>
        </CardFoot>
      )}
      {dialogs}
    </Card>
  )
}

function NoSessions({ isBrief }: { isBrief: boolean }) {
  if (isBrief) return <CardText>No active sessions</CardText>
  return (
    <Empty kind="nothing yet" title="No active sessions">
      Sessions end after 12 hours of inactivity, or 7 days at most.
    </Empty>
  )
}
