import { listDeletedPreferences, type Preference, versionDays } from '@passport/contract/preferences'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ImportExport } from './ImportExport.tsx'
import type { Row } from './rows.ts'

interface ManagePreferencesProps {
  rows: Row[]
  namespace: string
  /** Saves an imported preference; rejects on failure. */
  onImported: (preference: Preference) => Promise<void>
  onRestore: (preference: Preference) => Promise<void>
}

/** Import and export, and the deleted preferences that can be restored. */
export function ManagePreferences({ rows, namespace, onImported, onRestore }: ManagePreferencesProps) {
  const saved = rows.flatMap((row) => row.saved?.key ?? [])
  const deleted = useQuery({
    // Deletions and restores change the list.
    queryKey: [listDeletedPreferences.path, saved],
    queryFn: ({ signal }) => call(listDeletedPreferences, { params: { userId: 'me' }, query: {} }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const [restoring, setRestoring] = useState<string>()

  async function restore(preference: Preference) {
    setRestoring(preference.key)
    try {
      await onRestore(preference)
      reportSuccess(`${preference.key} restored`)
    } catch (error) {
      reportFailure(`restore ${preference.key}`, error)
    }
    setRestoring(undefined)
  }

  return (
    <Card
      title="Deleted preferences"
      description={`Can be restored for ${versionDays} days`}
      action={
        <div className="flex gap-2">
          <ImportExport rows={rows} onImported={onImported} />
        </div>
      }
    >
      <Loaded query={deleted} label="Loading deleted preferences" rows={2} rowClass="h-8">
        {(all) => {
          const listed = all.filter(({ key }) => key.startsWith(namespace) && !saved.includes(key))
          if (listed.length === 0) return <Empty kind="nothing yet" title="No deleted preferences" />
          return (
            <ul className="px-4 pb-2 sm:px-[18px]">
              {listed.map(({ key, value, deletedAt }) => (
                <li
                  key={key}
                  className="flex min-h-11 flex-wrap items-center gap-x-4 border-t border-hair py-1 text-[13px]"
                >
                  <span className="min-w-0 basis-56 truncate font-mono">{key}</span>
                  <span className="min-w-0 flex-1 basis-40 truncate text-ink2">{value}</span>
                  <span className="text-ink3">
                    <RelativeTime at={deletedAt} />
                  </span>
                  <Button
                    isSmall
                    isBusy={restoring === key}
                    aria-label={`Restore ${key}`}
                    onClick={() => void restore({ key, value })}
                  >
                    Restore
                  </Button>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
