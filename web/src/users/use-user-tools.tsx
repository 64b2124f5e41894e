import type { BulkAction as Action } from '@passport/contract/user-bulk'
import type { UserFilter, UserSummary } from '@passport/contract/users'
import { CircleCheck, CircleOff, LogOut, ShieldMinus, ShieldPlus, Trash2 } from 'lucide-react'
import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import type { BulkAction } from '../directory/bulk.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { formatUsers } from './bulk-texts.ts'
import type { UserToolset } from './UserTools.tsx'

const Tools = lazyPart(async () => (await import('./UserTools.tsx')).UserTools)

const firstUses = ['pointermove', 'pointerdown', 'keydown']

/**
 * Returns the bulk actions of the user list, and the items of a user's menu. Their code is loaded with the first use of
 * pointer or keyboard. Render `dialogs` anywhere on the page.
 */
export function useUserTools(filter: UserFilter) {
  const [isUsed, setUsed] = useState(false)
  const [tools, setTools] = useState<RefObject<UserToolset>>()
  const resolveReady = useRef<(tools: RefObject<UserToolset>) => void>(undefined)
  const ready = useRef<Promise<RefObject<UserToolset>>>(undefined)
  ready.current ??= new Promise((resolve) => {
    resolveReady.current = resolve
  })
  useEffect(() => {
    const load = () => setUsed(true)
    for (const use of firstUses) addEventListener(use, load, { once: true })
    return () => {
      for (const use of firstUses) removeEventListener(use, load)
    }
  }, [])

  const toAction = (
    action: Action,
    label: string,
    icon: ReactNode,
    formatDone: (users: string) => string,
  ): BulkAction => ({
    label,
    icon,
    doneMessage: (count) => formatDone(formatUsers(count)),
    run: async (selected, work) => (await ready.current)?.current.runBulk(action)(selected, work),
  })
  const bulk: BulkAction[] = [
    toAction('addRole', 'Add role', <ShieldPlus size={16} />, (users) => `Role added to ${users}`),
    toAction('removeRole', 'Remove role', <ShieldMinus size={16} />, (users) => `Role removed from ${users}`),
    toAction('signout', 'Sign out', <LogOut size={16} />, (users) => `${users} signed out`),
    toAction('enable', 'Enable', <CircleCheck size={16} />, (users) => `${users} enabled`),
    toAction('disable', 'Disable', <CircleOff size={16} />, (users) => `${users} disabled`),
    { ...toAction('delete', 'Delete', <Trash2 size={16} />, (users) => `${users} deleted`), isDanger: true },
  ]
  const dialogs = isUsed && (
    <Suspense>
      <Tools
        filter={filter}
        onReady={(tools) => {
          setTools(tools)
          resolveReady.current?.(tools)
        }}
      />
    </Suspense>
  )
  return { bulk, itemsFor: (user: UserSummary): MenuItem[] => tools?.current.itemsFor(user) ?? [], dialogs }
}
