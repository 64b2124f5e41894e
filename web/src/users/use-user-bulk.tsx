import type { BulkAction as Action } from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Selected } from '../directory/selection.ts'
import type { RunBulk } from './UserBulk.tsx'

const UserBulk = lazy(async () => ({ default: (await import('./UserBulk.tsx')).UserBulk }))

const people = (count: number) => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`)

/** What can be done to the chosen people; `dialogs` belong somewhere on the page, and are loaded with the first action. */
export function useUserBulk(filter: UserFilter): { actions: BulkAction[]; dialogs: ReactNode } {
  const [isWanted, setWanted] = useState(false)
  const [loaded] = useState(() => Promise.withResolvers<RunBulk>())
  const ref = useCallback((run: RunBulk | null) => void (run && loaded.resolve(run)), [loaded])

  const run = (action: Action) => async (selected: Selected) => {
    setWanted(true)
    return (await loaded.promise)(selected, action, filter)
  }
  const actions: BulkAction[] = [
    { label: 'Disable', said: (count) => `${people(count)} disabled`, run: run('disable') },
    { label: 'Enable', said: (count) => `${people(count)} enabled`, run: run('enable') },
    { label: 'Add role', said: (count) => `Role given to ${people(count)}`, run: run('addRole') },
    { label: 'Remove role', said: (count) => `Role taken from ${people(count)}`, run: run('removeRole') },
    { label: 'Sign out', said: (count) => `${people(count)} signed out`, run: run('signout') },
    { label: 'Delete', isDanger: true, said: (count) => `${people(count)} deleted`, run: run('delete') },
  ]
  const dialogs = isWanted && (
    <Suspense>
      <UserBulk ref={ref} />
    </Suspense>
  )
  return { actions, dialogs }
}
