import { type BulkAction, bulkChangeUsers, undoBulkChange } from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import { type Ref, useImperativeHandle, useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkResult } from '../directory/bulk.tsx'
import { searchRoles } from '../directory/find-records.ts'
import type { Selected } from '../directory/selection.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { reasonOf } from './names.ts'

/** Changes the chosen people, after the questions that there are; answers nothing where it was called off. */
export type RunBulk = (selected: Selected, action: BulkAction, filter: UserFilter) => Promise<BulkResult | undefined>

/** The dialogs of bulk actions, and by `ref` the way to start one. */
export function UserBulk({ ref }: { ref: Ref<RunBulk> }) {
  const { change, dialog } = usePreview()
  const roles = useRoleQuestion()

  async function run(selected: Selected, action: BulkAction, filter: UserFilter): Promise<BulkResult | undefined> {
    const ask = roleQuestions[action]
    const role = ask && (await roles.ask(ask))
    if (ask && !role) return undefined
    const whom = 'all' in selected ? { query: filter } : { ids: selected.ids }
    const wish = { action, ...whom, ...(role && { role }) }
    const result = await change(
      async ({ preview, confirmSelfDemotion }) => {
        const body = { ...wish, dryRun: preview === 'true', confirmSelfDemotion: confirmSelfDemotion === 'true' }
        const answer = await call(bulkChangeUsers, { body })
        return answer.preview ?? answer
      },
      { title: questions[action](role), action: 'Go on' },
    )
    if (!result || 'gains' in result) return undefined
    void queryClient.invalidateQueries()
    const { undoToken } = result
    return {
      done: result.done,
      failed: result.failed.map(({ id, code }) => ({ id, why: reasonOf(code) })),
      ...(undoToken && { undo: () => undo(undoToken) }),
    }
  }
  useImperativeHandle(ref, () => run)

  return (
    <>
      {dialog}
      {roles.dialog}
    </>
  )
}

const roleQuestions: Partial<Record<BulkAction, string>> = {
  addRole: 'Add which role?',
  removeRole: 'Remove which role?',
}

const questions: Record<BulkAction, (role: string | undefined) => string> = {
  disable: () => 'Disable them?',
  enable: () => 'Enable them?',
  signout: () => 'Sign them out?',
  delete: () => 'Delete them?',
  restore: () => 'Restore them?',
  addRole: (role) => `Add ${role}?`,
  removeRole: (role) => `Remove ${role}?`,
}

/** Takes a change of many back; what could not be taken back is told as a failure. */
async function undo(undoToken: string) {
  const { done, failed } = await call(undoBulkChange, { body: { undoToken } })
  void queryClient.invalidateQueries()
  if (failed.length > 0) throw new Error(`${done} of ${done + failed.length}`)
}

/** Asks for one role. */
function useRoleQuestion() {
  const [title, setTitle] = useState<string>()
  const [picked, setPicked] = useState<Pickable[]>([])
  const answer = useRef<(role: string | undefined) => void>(undefined)
  const ask = (title: string) =>
    new Promise<string | undefined>((resolve) => {
      answer.current = resolve
      setPicked([])
      setTitle(title)
    }).finally(() => setTitle(undefined))
  const role = picked.at(-1)
  const dialog = (
    <Dialog isOpen={title !== undefined} title={title ?? ''} onClose={() => answer.current?.(undefined)}>
      <div className="mt-3 min-h-44">
        <Picker
          label="Role"
          placeholder="Name of a role"
          search={searchRoles}
          picked={role ? [role] : []}
          onPick={setPicked}
        />
      </div>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={() => answer.current?.(undefined)}>Cancel</Button>
        <Button look="primary" disabled={!role} onClick={() => answer.current?.(role?.id)}>
          Continue
        </Button>
      </div>
    </Dialog>
  )
  return { ask, dialog }
}
