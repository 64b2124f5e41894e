import { ApiError } from '@passport/contract/call'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { toFailure } from './api.ts'

/** Reports a completed operation, such as “Organisation created”. */
export const reportSuccess = (content: string): void => void toast({ type: 'success', content })

/** Reports a completed operation, such as “Invitation sent”, and offers to open its record. */
export const reportWithView = (content: string, view: () => void): void =>
  void toast({ type: 'success', content, action: { label: 'View', run: view } })

/** Reports a completed operation and offers to undo it for 10 s. */
export const reportWithUndo = (content: string, undo: () => Promise<unknown>): void =>
  void undoToast(content, undo, describeFailure)

/** Reports a failed operation, such as “delete the group”: “Couldn't delete the group: …”. */
export const reportFailure = (operation: string, error: unknown): void =>
  void toast({ type: 'error', content: `Couldn't ${operation}: ${describeFailure(error)}` })

/** Returns the sentence about an error, with the support code if the server is at fault. */
function describeFailure(error: unknown): string {
  const { detail, supportCode } = toFailure(error)
  return supportCode && error instanceof ApiError && error.status >= 500
    ? `${detail} Support code ${supportCode}`
    : detail
}
