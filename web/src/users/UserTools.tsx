import type { BulkAction as Action } from '@passport/contract/user-bulk'
import type { UserFilter, UserSummary } from '@passport/contract/users'
import { type RefObject, useEffect, useRef } from 'react'
import type { BulkAction } from '../directory/bulk.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { useUserActions } from './use-user-actions.tsx'
import { useUserBulk } from './use-user-bulk.tsx'

/** The actions on users in a list. */
export interface UserToolset {
  runBulk: (action: Action) => BulkAction['run']
  itemsFor: (user: UserSummary) => MenuItem[]
}

interface UserToolsProps {
  filter: UserFilter
  /** Called once, with a reference that always holds the current tools. */
  onReady: (tools: RefObject<UserToolset>) => void
}

/** The dialogs of the actions on one user and on many; passes the actions to `onReady`. */
export function UserTools({ filter, onReady }: UserToolsProps) {
  const { run: runBulk, dialogs } = useUserBulk(filter)
  const { itemsFor, dialogs: userDialogs } = useUserActions()
  const tools = useRef<UserToolset>({ runBulk, itemsFor })
  tools.current = { runBulk, itemsFor }
  const latestOnReady = useRef(onReady)
  useEffect(() => latestOnReady.current(tools), [])
  return (
    <>
      {dialogs}
      {userDialogs}
    </>
  )
}
