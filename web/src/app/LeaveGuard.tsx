import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Confirm } from '../ui/Dialog.tsx'
import { registerUnsavedChanges } from '../ui/unsaved-changes.ts'
import { isLeavingAllowed } from './leaving.ts'

interface LeaveGuardProps {
  /** Called when the user is about to leave, because only then are the changes final. */
  hasChanges: () => boolean
  /** A sentence about the changes that would be lost. */
  children: ReactNode
}

/**
 * Asks before unsaved changes are lost by a link, by Back or by closing the tab. A change of the query alone does not
 * ask.
 */
export function LeaveGuard({ hasChanges, children }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasChanges() && current.pathname !== next.pathname,
    enableBeforeUnload: () => hasChanges() && !isLeavingAllowed(),
    withResolver: true,
  })
  const latest = useRef(hasChanges)
  latest.current = hasChanges
  useEffect(() => registerUnsavedChanges(() => latest.current()), [])
  return (
    <Confirm
      isOpen={status === 'blocked'}
      title="Leave without saving?"
      action="Discard changes"
      onConfirm={() => proceed?.()}
      onClose={() => reset?.()}
    >
      {children}
    </Confirm>
  )
}
