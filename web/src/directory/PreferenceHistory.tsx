import {
  deletePreferenceVersions,
  type ListedPreference,
  listDeletedPreferences,
  listPreferenceVersions,
  type Preference,
  versionDays,
} from '@passport/contract/preferences'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { PreferenceValue } from './PreferenceValue.tsx'

interface PreferenceDetailsProps {
  /** The owner; `me` is the current user. */
  userId: string
  saved: ListedPreference
  onRestore: (value: string) => void
}

/** The whole value of a preference and its earlier values. */
export function PreferenceDetails({ userId, saved, onRestore }: PreferenceDetailsProps) {
  const { key, value, version } = saved
  const params = { userId, key }
  const versions = useQuery({
    // Each saved value adds an earlier one.
    queryKey: [listPreferenceVersions.path, userId, key, version],
    queryFn: ({ signal }) => call(listPreferenceVersions, { params }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const [isAsking, setAsking] = useState(false)

  async function deleteHistory() {
    setAsking(false)
    try {
      await call(deletePreferenceVersions, { params })
      await versions.refetch()
      reportSuccess('History deleted')
    } catch (error) {
      reportFailure('delete the history', error)
    }
  }

  return (
    <section aria-label={`Details of ${key}`} className="grid gap-3 pb-2 sm:pl-9">
      <PreferenceValue value={value} />
      <Loaded query={versions} label="Loading earlier values" rows={2} rowClass="h-6">
        {(earlier) =>
          earlier.length === 0 ? (
            <p className="text-[13px] text-ink3">No earlier values in the last {versionDays} days</p>
          ) : (
            <div>
              <div className="flex items-center justify-between gap-3">
                <h3 className="text-[13px] font-[560] text-ink2">Earlier values</h3>
                <Button isSmall variant="ghost" className="text-ink2" onClick={() => setAsking(true)}>
                  Delete history
                </Button>
              </div>
              <ul>
                {earlier.map((each) => (
                  <li key={each.replacedAt} className="flex min-h-9 items-center gap-3 border-t border-hair py-1">
                    <span className="min-w-0 flex-1 truncate font-mono text-[13px]" title={each.value}>
                      {each.value}
                    </span>
                    <span className="shrink-0 text-[13px] text-ink3">
                      until <RelativeTime at={each.replacedAt} inSentence />
                    </span>
                    <Button isSmall disabled={each.value === value} onClick={() => onRestore(each.value)}>
                      Restore
                    </Button>
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
      <Confirm
        isOpen={isAsking}
        title={`Delete the history of ${key}?`}
        action="Delete history"
        onConfirm={() => void deleteHistory()}
        onClose={() => setAsking(false)}
      >
        Its earlier values cannot be restored. The current value is kept.
      </Confirm>
    </section>
  )
}

interface DeletedPreferencesProps {
  /** The owner; `me` is the current user. */
  userId: string
  /** The keys that have a value. */
  saved: string[]
  /** The start of the listed keys. */
  namespace?: string
  action?: ReactNode
  /** Whether there is no card without any. */
  isHiddenWhenEmpty?: boolean
  onRestore: (preference: Preference) => Promise<void>
}

/** The deleted preferences of a user that can be restored. */
export function DeletedPreferences({
  userId,
  saved,
  namespace = '',
  action,
  isHiddenWhenEmpty = false,
  onRestore,
}: DeletedPreferencesProps) {
  const deleted = useQuery({
    // Deletions and restores change the list.
    queryKey: [listDeletedPreferences.path, userId, saved],
    queryFn: ({ signal }) => call(listDeletedPreferences, { params: { userId }, query: {} }, { signal }),
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

  const isListed = ({ key }: Preference) => key.startsWith(namespace) && !saved.includes(key)
  // On a phone, the rail waits for placeholders, so that the card does not push it down.
  if (isHiddenWhenEmpty && deleted.isPending) return <i className="skeleton hidden" />
  if (isHiddenWhenEmpty && deleted.data && !deleted.data.some(isListed)) return null
  return (
    <Card title="Deleted preferences" description={`Can be restored for ${versionDays} days`} action={action}>
      <Loaded query={deleted} label="Loading deleted preferences" rows={2} rowClass="h-8">
        {(all) => {
          const listed = all.filter(isListed)
          if (listed.length === 0) return <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No deleted preferences</p>
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
