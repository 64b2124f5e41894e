import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Confirm } from '../ui/Dialog.tsx'

interface LeaveGuardProps {
  /** Asked when somebody is about to leave: a page knows best then. */
  hasChanges: () => boolean
  /** What will be lost, in a sentence. */
  children: ReactNode
}

/** Asks before what was typed is lost, by a link, by Back or with the tab. What only changes the query stays on the page. */
export function LeaveGuard({ hasChanges, children }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasChanges() && current.pathname !== next.pathname,
    enableBeforeUnload: hasChanges,
    withResolver: true,
  })
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
