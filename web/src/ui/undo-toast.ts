import { toast } from './toast.ts'

const undoMs = 10_000

/**
 * Says what was done, and for 10 s offers to take it back. `undo` rejects where that fails; `whyNot` tells it in words.
 *
 *     void undoToast('Ana Abara is disabled', () => call(enableUser, { params: { userId } }))
 */
export function undoToast(
  content: string,
  undo: () => Promise<unknown>,
  whyNot: (error: unknown) => string = () => 'Try again from its page.',
): Promise<void> {
  const run = () =>
    void undo().then(
      () => toast({ type: 'success', content: 'Undone' }),
      (error: unknown) => toast({ type: 'error', content: `Not undone. ${whyNot(error)}` }),
    )
  return toast({ type: 'success', content, timeout: undoMs, action: { label: 'Undo', run } })
}
