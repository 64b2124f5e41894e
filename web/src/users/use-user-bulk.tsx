import { type BulkAction as Action, bulkChangeUsers, undoBulkChange } from '@passport/contract/user-bulk'
import type { UserFilter } from '@passport/contract/users'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkAction } from '../directory/bulk.tsx'
import { searchRoles } from '../directory/find-records.ts'
import type { Selected } from '../directory/selection.ts'
import { formatCount } from '../directory/total.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { describeFailure } from './names.ts'

const formatPeople = (count: number) => formatCount(count, undefined, ['user', 'users'])

/** The bulk actions for the selected users; render `dialogs` anywhere on the page. */
export function useUserBulk(filter: UserFilter): { actions: BulkAction[]; dialogs: ReactNode } {
  const { change, dialog } = usePreview()
  const roles = useRoleQuestion()

  /** Changes the selected users after confirmation; resolves with undefined if cancelled. */
  const run = (action: Action) => async (selected: Selected) => {
    const ask = roleQuestions[action]
    const role = ask && (await roles.ask(ask))
    if (ask && !role) return undefined
    const selection = 'all' in selected ? { query: filter } : { ids: selected.ids }
    const request = { action, ...selection, ...(role && { role }) }
    const result = await change(
      async ({ preview, confirmSelfDemotion }) => {
        const body = { ...request, dryRun: preview === 'true', confirmSelfDemotion: confirmSelfDemotion === 'true' }
        const response = await call(bulkChangeUsers, { body })
        return response.preview ?? response
      },
      questionOf(action, selected, role),
    )
    if (!result || 'gains' in result) return undefined
    void queryClient.invalidateQueries()
    const { undoToken } = result
    return {
      done: result.done,
      failed: result.failed.map(({ id, code }) => ({ id, reason: describeFailure(code) })),
      ...(undoToken && { undo: () => undo(undoToken) }),
    }
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
  const dialogs = (
    <>
      {dialog}
      {roles.dialog}
    </>
  )
  return { actions, dialogs }
}

const roleQuestions: Partial<Record<Action, string>> = {
  addRole: 'Add role',
  removeRole: 'Remove role',
}

/** Returns the title and the button of the confirmation. */
function questionOf(action: Action, selected: Selected, role: string | undefined) {
  const whom = 'all' in selected ? 'all matching users' : formatPeople(selected.ids.length)
  if (action === 'addRole') return { title: `Add ${role} to ${whom}?`, action: 'Add role' }
  if (action === 'removeRole') return { title: `Remove ${role} from ${whom}?`, action: 'Remove role' }
  const phrase = `${verbs[action]} ${whom}`
  return { title: `${phrase}?`, action: phrase }
}

const verbs: Record<Exclude<Action, 'addRole' | 'removeRole'>, string> = {
  disable: 'Disable',
  enable: 'Enable',
  signout: 'Sign out',
  delete: 'Delete',
  restore: 'Restore',
}

/** Undoes a bulk change; users that could not be restored are reported as a failure. */
async function undo(undoToken: string) {
  const { done, failed } = await call(undoBulkChange, { body: { undoToken } })
  void queryClient.invalidateQueries()
  if (failed.length > 0) throw new Error(`${done} of ${done + failed.length}`)
}

/** Asks for one role. */
function useRoleQuestion() {
  const [title, setTitle] = useState<string>()
  const [picked, setPicked] = useState<Pickable[]>([])
  const resolveAnswer = useRef<(role: string | undefined) => void>(undefined)
  const ask = (title: string) =>
    new Promise<string | undefined>((resolve) => {
      resolveAnswer.current = resolve
      setPicked([])
      setTitle(title)
    }).finally(() => setTitle(undefined))
  const role = picked.at(-1)
  const dialog = (
    <Dialog isOpen={title !== undefined} title={title ?? ''} onClose={() => resolveAnswer.current?.(undefined)}>
      <div className="mt-3 min-h-44">
        <Picker
          label="Role"
          placeholder="Role name"
          search={searchRoles}
          picked={role ? [role] : []}
          onPick={setPicked}
        />
      </div>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={() => resolveAnswer.current?.(undefined)}>Cancel</Button>
        <Button variant="primary" disabled={!role} onClick={() => resolveAnswer.current?.(role?.id)}>
          Continue
        </Button>
      </div>
    </Dialog>
  )
  return { ask, dialog }
}
