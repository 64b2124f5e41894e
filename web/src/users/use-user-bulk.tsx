import type { RoleEffect } from '@passport/contract/role-effect'
import {
  type BulkAction as Action,
  type BulkResult as BulkResponse,
  bulkChangeUsers,
  undoBulkChange,
} from '@passport/contract/user-bulk'
import { listUsers, type UserFilter } from '@passport/contract/users'
import { type ReactNode, useRef, useState } from 'react'
import { call, DescribedError, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkAction, BulkResult, BulkWork } from '../directory/bulk.tsx'
import { searchRoles } from '../directory/find-records.ts'
import type { Selected } from '../directory/selection.ts'
import { loadAllRows } from '../directory/use-list.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { formatBulkFailure, formatUsers } from './bulk-texts.ts'

/** Users per request. A request is one transaction, so that Cancel never leaves a batch half done. */
const batchSize = 100

const formatNumber = (count: number) => count.toLocaleString('en')

/** Returns the bulk actions of a user list. Render `dialogs` anywhere on the page. */
export function useUserBulk(filter: UserFilter): { run: (action: Action) => BulkAction['run']; dialogs: ReactNode } {
  const { change, dialog } = usePreview()
  const roles = useRoleQuestion()

  /**
   * Changes the selected users in batches, after a check of all of them and a confirmation if access is lost. Resolves
   * with undefined if cancelled before the first batch.
   */
  const run = (action: Action) => async (selected: Selected, work: BulkWork) => {
    const roleTitle = roleTitles[action]
    const role = roleTitle && (await roles.ask(roleTitle))
    if (roleTitle && !role) return undefined
    const request = { action, ...(role && { role }) }
    const users = await findSelected(selected, filter, work)
    let checked: Outcome = noOutcome
    const result = await change<BulkResult>(
      async ({ preview }) => {
        if (preview === 'true') {
          checked = await checkAll(users, request, work)
          work.report(undefined)
          // A cancelled action needs no confirmation.
          return work.signal.aborted ? { gains: [], loses: [] } : checked.effect
        }
        return changeAll(users, request, work)
      },
      () => (work.signal.aborted ? { title: '', action: '' } : buildConfirmation(action, role, checked)),
    )
    if (result) void queryClient.invalidateQueries()
    return result && result.done + result.failed.length + (result.unchanged ?? 0) > 0 ? result : undefined
  }

  const dialogs = (
    <>
      {dialog}
      {roles.dialog}
    </>
  )
  return { run, dialogs }
}

const roleTitles: Partial<Record<Action, string>> = {
  addRole: 'Add role',
  removeRole: 'Remove role',
}

interface SelectedUser {
  id: string
  /** Unknown for rows of other pages. */
  name?: string
}

/** Returns the selected users; if all are selected, the users that match the filter now. */
async function findSelected(selected: Selected, filter: UserFilter, { report }: BulkWork): Promise<SelectedUser[]> {
  if ('ids' in selected) return selected.ids.map((id) => ({ id }))
  report({ text: 'Finding matching users…', done: 0, total: 1 })
  const rows = await loadAllRows(listUsers, { query: filter })
  return rows.map((user) => ({ id: user.id, name: nameOf(user) }))
}

interface Outcome extends Pick<BulkResponse, 'done' | 'unchanged' | 'failed'> {
  effect: RoleEffect
}
const noOutcome: Outcome = { done: 0, unchanged: 0, failed: [], effect: { gains: [], loses: [] } }

type Request = { action: Action; role?: string }

/** Yields the batches until the work is cancelled; reports the progress if there are several. */
async function* toBatches(users: SelectedUser[], formatText: (done: string, total: string) => string, work: BulkWork) {
  const total = users.length
  for (let start = 0; start < total && !work.signal.aborted; start += batchSize) {
    const text = formatText(formatNumber(start), formatNumber(total))
    if (total > batchSize) work.report({ text, done: start, total })
    yield users.slice(start, start + batchSize)
  }
}

/** Returns the outcome of a dry run. */
async function checkAll(users: SelectedUser[], request: Request, work: BulkWork): Promise<Outcome> {
  const outcome = { ...noOutcome, failed: [...noOutcome.failed] }
  for await (const batch of toBatches(users, (_, total) => `Checking ${total} users…`, work)) {
    const ids = batch.map(({ id }) => id)
    const checked = await call(bulkChangeUsers, { body: { ...request, ids, dryRun: true } })
    outcome.done += checked.done
    outcome.unchanged += checked.unchanged
    outcome.failed.push(...checked.failed)
    if (checked.preview) outcome.effect = mergeEffects(outcome.effect, checked.preview)
  }
  return outcome
}

/** Adds up the effects of two batches. */
function mergeEffects(one: RoleEffect, other: RoleEffect): RoleEffect {
  const merge = (lines: RoleEffect['gains'], others: RoleEffect['gains']) => {
    const byRole = new Map(lines.map((line) => [line.role, line]))
    for (const line of others) {
      const before = byRole.get(line.role)
      const merged = before && { ...before, people: before.people + line.people }
      byRole.set(line.role, merged ?? line)
    }
    return [...byRole.values()]
  }
  return { gains: merge(one.gains, other.gains), loses: merge(one.loses, other.loses) }
}

/** Changes the users. An error after the first batch is reported as the failure of the remaining users. */
async function changeAll(users: SelectedUser[], request: Request, work: BulkWork): Promise<BulkResult> {
  const result = { done: 0, unchanged: 0, failed: [] as BulkResult['failed'] }
  const undoTokens: string[] = []
  let reached = 0
  const formatText = (done: string, total: string) =>
    `${progressVerbs[request.action](request.role)} ${done} of ${total}…`
  try {
    for await (const batch of toBatches(users, formatText, work)) {
      const response = await call(bulkChangeUsers, { body: { ...request, ids: batch.map(({ id }) => id) } })
      reached += batch.length
      result.done += response.done
      result.unchanged += response.unchanged
      for (const { id, code } of response.failed)
        result.failed.push({
          id,
          name: batch.find((user) => user.id === id)?.name,
          reason: formatBulkFailure(code),
        })
      if (response.undoToken) undoTokens.push(response.undoToken)
    }
  } catch (error) {
    if (reached === 0) throw error
    const reason = toFailure(error).detail
    result.failed.push(...users.slice(reached).map((user) => ({ ...user, reason })))
    reached = users.length
  }
  return {
    ...result,
    cancelled: users.length - reached,
    ...(undoTokens.length > 0 && { undo: () => undoAll(undoTokens) }),
  }
}

/** Undoes the batches, the last one first. Rejects if some users could not be restored. */
async function undoAll(undoTokens: string[]) {
  let done = 0
  let failed = 0
  for (const undoToken of undoTokens.toReversed()) {
    const undone = await call(undoBulkChange, { body: { undoToken } })
    done += undone.done
    failed += undone.failed.length
  }
  void queryClient.invalidateQueries()
  if (failed > 0)
    throw new DescribedError(`${formatNumber(failed)} of ${formatUsers(done + failed)} were not changed back.`)
}

const progressVerbs: Record<Action, (role: string | undefined) => string> = {
  disable: () => 'Disabling',
  enable: () => 'Enabling',
  signout: () => 'Signing out',
  delete: () => 'Deleting',
  restore: () => 'Restoring',
  addRole: (role) => `Adding ${role} to`,
  removeRole: (role) => `Removing ${role} from`,
}

/** Returns the confirmation; the deletion of several users asks for their number. */
function buildConfirmation(action: Action, role: string | undefined, { done, unchanged, failed }: Outcome) {
  const users = formatUsers(done)
  if (action === 'addRole') return { title: `Add ${role} to ${users}?`, action: 'Add role' }
  if (action === 'removeRole') return { title: `Remove ${role} from ${users}?`, action: 'Remove role' }
  const phrase = `${verbs[action]} ${users}`
  if (action !== 'delete' || done < 2) return { title: `${phrase}?`, action: phrase }
  const skipped = unchanged + failed.length
  const details = [
    'Signs them out everywhere and removes them from all groups and organisations. You can restore them for 30 days.',
    skipped > 0 && `${formatUsers(skipped)} of the selection can't be deleted and will be left out.`,
  ]
  return { title: `${phrase}?`, action: phrase, phrase: String(done), details: details.filter(Boolean).join(' ') }
}

const verbs: Record<Exclude<Action, 'addRole' | 'removeRole'>, string> = {
  disable: 'Disable',
  enable: 'Enable',
  signout: 'Sign out',
  delete: 'Delete',
  restore: 'Restore',
}

/** Returns a dialog for one role; `ask` resolves with undefined if it is closed. */
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
      <div className="mt-3">
        <Picker
          label="Role"
          placeholder="Role name"
          isListOpen
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
