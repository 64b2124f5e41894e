import type { BulkAction as Action } from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Selected } from '../directory/selection.ts'
import type { RunBulk } from './UserBulk.tsx'

const UserBulk = lazy(async () => ({ default: (await import('./UserBulk.tsx')).UserBulk }))

const formatPeople = (count: number) => (count === 1 ? '1 user' : `${count.toLocaleString('en')} users`)

/**
 * The bulk actions for the selected users; render `dialogs` anywhere on the page. They are loaded with the first
 * action.
 */
export function useUserBulk(filter: UserFilter): { actions: BulkAction[]; dialogs: ReactNode } {
  const [isStarted, setStarted] = useState(false)
  const [loaded] = useState(() => Promise.withResolvers<RunBulk>())
  const ref = useCallback((run: RunBulk | null) => void (run && loaded.resolve(run)), [loaded])

  const run = (action: Action) => async (selected: Selected) => {
    setStarted(true)
    return (await loaded.promise)(selected, action, filter)
  }
  const actions: BulkAction[] = [
    { label: 'Disable', doneMessage: (count) => `${formatPeople(count)} disabled`, run: run('disable') },
    { label: 'Enable', doneMessage: (count) => `${formatPeople(count)} enabled`, run: run('enable') },
    { label: 'Add role', doneMessage: (count) => `Role added to ${formatPeople(count)}`, run: run('addRole') },
    {
      label: 'Remove role',
      doneMessage: (count) => `Role removed from ${formatPeople(count)}`,
      run: run('removeRole'),
    },
    { label: 'Sign out', doneMessage: (count) => `${formatPeople(count)} signed out`, run: run('signout') },
    { label: 'Delete', isDanger: true, doneMessage: (count) => `${formatPeople(count)} deleted`, run: run('delete') },
  ]
  const dialogs = isStarted && (
    <Suspense>
      <UserBulk ref={ref} />
    </Suspense>
  )
  return { actions, dialogs }
}
