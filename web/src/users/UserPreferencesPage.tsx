import { listPreferences } from '@passport/contract/preferences'
import type { User } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { query, toFailure } from '../app/api.ts'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The preferences that applications store for a user. */
export function UserPreferencesPage() {
  return <UserFrame>{(user) => <Preferences user={user} />}</UserFrame>
}

function Preferences({ user }: { user: User }) {
  const { data, error, refetch } = useQuery(query(listPreferences, { params: { userId: user.id }, query: {} }))
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  return (
    <Card title="Preferences" description="Read-only: the user edits them in their account.">
      {!data && <Skeleton label="Loading preferences" rows={3} rowClass="h-8" />}
      {data?.length === 0 && <Empty kind="nothing yet" title="No preferences" />}
      <dl className="px-4 pb-2 sm:px-[18px]">
        {data?.map(({ key, value }) => (
          <div key={key} className="flex flex-wrap gap-x-6 gap-y-1 border-t border-line py-2.5">
            <dt className="min-w-0 basis-56 font-mono text-[12.5px] break-all text-ink2">{key}</dt>
            <dd className="min-w-0 flex-1 basis-56 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
