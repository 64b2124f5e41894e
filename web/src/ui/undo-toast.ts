import { toast } from './toast.ts'

const undoMs = 10_000

/**
 * Reports an action and offers to undo it for 10 s. `undo` rejects on failure; `formatError` formats the reason.
 *
 *     void undoToast('Ana Abara disabled', () => call(enableUser, { params: { userId } }))
 */
export function undoToast(
  content: string,
  undo: () => Promise<unknown>,
  formatError: (error: unknown) => string = () => 'Open its page and try again.',
): Promise<void> {
  const run = () =>
    void undo().then(
      () => toast({ type: 'success', content: 'Undone' }),
      (error: unknown) => toast({ type: 'error', content: `Couldn't undo: ${formatError(error)}` }),
    )
  return toast({ type: 'success', content, timeout: undoMs, action: { label: 'Undo', run } })
}
