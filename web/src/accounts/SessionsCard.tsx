import { listSessions, revokeSession } from '@passport/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { describeEnd, SessionRow } from '../app/SessionRow.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'

const SessionsDialog = lazyPart(async () => (await import('./SessionsDialog.tsx')).SessionsDialog)

/** The number of sessions that are shown at first. */
const maxShort = 5

/** The sessions of the current user. */
export function SessionsCard() {
  const sessions = useQuery(query(listSessions, {}))
  const queryClient = useQueryClient()
  const [question, setQuestion] = useState<{ asked?: 'others' | 'all' }>()
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeSession, { params: { id }, query: {} }),
    // Not `updateOptimistically`, which this page of a first visit would have to load.
    onMutate: (id) =>
      queryClient.setQueryData(query(listSessions, {}).queryKey, (all) => all?.filter((session) => session.id !== id)),
    onSuccess: ({ personalTokensLeft }) => reportSuccess(describeEnd(personalTokensLeft)),
    onError: (error) => reportFailure('end the session', error),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const [isLong, setLong] = useState(false)
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0

  return (
    <Card title="Sessions" description="Sessions end after 12 hours of inactivity, or 7 days at most.">
      <Loaded query={sessions} label="Loading sessions" rows={2}>
        {(all) => (
          <ul className="px-4 pb-1.5 sm:px-[18px]">
            {(isLong ? all : all.slice(0, maxShort)).map((session) => (
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
      {!isLong && others >= maxShort && (
        <div className="px-4 pb-3 sm:px-[18px]">
          <Button isSmall onClick={() => setLong(true)}>
            Show all {others + 1}
          </Button>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 border-t border-hair px-4 py-3 sm:px-[18px]">
        <p className="flex-1 basis-44 text-ink2">Don't recognise something?</p>
        {others > 0 && (
          <Button isSmall onClick={() => setQuestion({ asked: 'others' })}>
            End other sessions
          </Button>
        )}
        <Button isSmall variant="danger" onClick={() => setQuestion({ asked: 'all' })}>
          Sign out everywhere
        </Button>
      </div>
      {question && (
        <Suspense fallback={null}>
          <SessionsDialog asked={question.asked} others={others} onClose={() => setQuestion({})} />
        </Suspense>
      )}
    </Card>
  )
}
