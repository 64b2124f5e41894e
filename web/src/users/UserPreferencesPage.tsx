import { type ListedPreference, listPreferences, putPreference } from '@passport/contract/preferences'
import type { User } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { DeletedPreferences, PreferenceDetails } from '../directory/PreferenceHistory.tsx'
import { summarizeJson } from '../directory/summarize-json.ts'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The preferences that applications store for a user, with the earlier and deleted values that can be restored. */
export function UserPreferencesPage() {
  return <UserFrame>{(user) => <Preferences user={user} />}</UserFrame>
}

function Preferences({ user: { id: userId } }: { user: User }) {
  const preferences = useQuery(query(listPreferences, { params: { userId }, query: { details: true } }))
  const { data, error, refetch } = preferences
  /** Saves an earlier value, unless the preference was changed since it was read. */
  async function restore(key: string, value: string, saved?: ListedPreference) {
    const condition = saved ? { ifMatch: `"${saved.version}"` } : { ifNoneMatch: '*' as const }
    await call(putPreference, { params: { userId, key }, body: value }, condition)
    await refetch()
  }
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  return (
    <div className="grid grid-cols-1 gap-4">
      <Card title="Preferences" description="Edited by the user. Earlier values can be restored.">
        {!data && <Skeleton label="Loading preferences" rows={3} rowClass="h-8" />}
        {data?.length === 0 && <Empty kind="nothing yet" title="No preferences" />}
        <ul className="px-4 pb-2 sm:px-[18px]">
          {data?.map((saved) => (
            <PreferenceItem
              key={saved.key}
              userId={userId}
              saved={saved}
              onRestore={(value) =>
                void restore(saved.key, value, saved).then(
                  () => reportSuccess(`${saved.key} restored`),
                  (error: unknown) => {
                    reportFailure(`restore ${saved.key}`, error)
                    void refetch()
                  },
                )
              }
            />
          ))}
        </ul>
      </Card>
      {data && (
        <DeletedPreferences
          userId={userId}
          saved={data.map(({ key }) => key)}
          isHiddenWhenEmpty
          onRestore={({ key, value }) => restore(key, value)}
        />
      )}
    </div>
  )
}

interface PreferenceItemProps {
  userId: string
  saved: ListedPreference
  onRestore: (value: string) => void
}

/** A preference on one line, with its whole value and its earlier values on demand. */
function PreferenceItem({ userId, saved, onRestore }: PreferenceItemProps) {
  const { key, value, savedAt } = saved
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="border-t border-line">
      <button
        type="button"
        className="flex min-h-11 w-full flex-wrap items-center gap-x-4 py-1 text-left"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="flex min-w-0 basis-64 items-center gap-3 max-sm:basis-full">
          <ChevronRight size={15} className={`shrink-0 text-ink3 ${isOpen ? 'rotate-90' : ''}`} />
          <span className="truncate font-mono text-[12.5px] text-ink2">{key}</span>
        </span>
        <span className="min-w-0 flex-1 truncate max-sm:pl-[27px]">{summarizeJson(value) ?? value}</span>
        <span className="shrink-0 text-[13px] text-ink3">{savedAt && <RelativeTime at={savedAt} />}</span>
      </button>
      {isOpen && <PreferenceDetails {...{ userId, saved, onRestore }} />}
    </li>
  )
}
