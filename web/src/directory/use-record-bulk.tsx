import { CircleCheck, CircleOff, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { DescribedError, toFailure } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkAction, BulkResult, BulkWork } from './bulk.tsx'
import type { Selected } from './selection.ts'
import { formatCount } from './total.ts'
import { usePreview } from './use-preview.tsx'

interface RecordBulk {
  /** Singular and plural. */
  noun: [string, string]
  /** Returns the ids of all records that match the search and filters. */
  findAll: () => Promise<string[]>
  /** Enables or disables a record; resolves with false if it was so already. */
  setEnabled: (id: string, isEnabled: boolean) => Promise<boolean>
  remove: (id: string) => Promise<unknown>
  restore: (id: string) => Promise<unknown>
  /** What is lost with deleted records, as a sentence. */
  consequence: string
}

/**
 * Returns the bulk actions of a list whose records are changed one by one: enable, disable and delete, each with Undo.
 * Render `dialog` anywhere on the page.
 */
export function useRecordBulk(records: RecordBulk): { bulk: BulkAction[]; dialog: ReactNode } {
  const { noun, findAll, setEnabled, remove, restore, consequence } = records
  const { change, dialog } = usePreview()
  const findIds = async (selected: Selected) => ('all' in selected ? findAll() : selected.ids)

  const toSwitch = (isEnabled: boolean) => async (selected: Selected, work: BulkWork) =>
    runForEach(await findIds(selected), isEnabled ? 'Enabling' : 'Disabling', work, {
      run: (id) => setEnabled(id, isEnabled),
      undo: (id) => setEnabled(id, !isEnabled),
    })
  const deleteAll = async (selected: Selected, work: BulkWork) => {
    const ids = await findIds(selected)
    const title = `Delete ${formatCount(ids.length, noun)}`
    const confirmation = {
      title: `${title}?`,
      action: title,
      phrase: String(ids.length),
      details: `${consequence} You can restore them for 30 days.`,
    }
    const send = () => runForEach(ids, 'Deleting', work, { run: remove, undo: restore })
    return change<BulkResult>(send as never, confirmation, { affectsRoles: false })
  }

  const formatDone = (done: string) => (count: number) => `${formatCount(count, noun)} ${done}`
  const bulk: BulkAction[] = [
    { label: 'Enable', icon: <CircleCheck size={16} />, doneMessage: formatDone('enabled'), run: toSwitch(true) },
    { label: 'Disable', icon: <CircleOff size={16} />, doneMessage: formatDone('disabled'), run: toSwitch(false) },
    {
      label: 'Delete',
      icon: <Trash2 size={16} />,
      isDanger: true,
      doneMessage: formatDone('deleted'),
      run: deleteAll,
    },
  ]
  return { bulk, dialog }
}

interface Calls {
  /** Resolves with false if nothing changed. */
  run: (id: string) => Promise<unknown>
  undo: (id: string) => Promise<unknown>
}

/** Changes records one after the other, until the work is cancelled. Failures are reported with their reasons. */
async function runForEach(ids: string[], verb: string, { report, signal }: BulkWork, { run, undo }: Calls) {
  const result = { done: 0, unchanged: 0, failed: [] as BulkResult['failed'] }
  const changed: string[] = []
  let reached = 0
  for (const id of ids) {
    if (signal.aborted) break
    if (ids.length > 1) report({ text: `${verb} ${reached + 1} of ${ids.length}…`, done: reached, total: ids.length })
    reached++
    try {
      if ((await run(id)) === false) result.unchanged++
      else changed.push(id)
    } catch (error) {
      result.failed.push({ id, reason: toFailure(error).detail })
    }
  }
  void queryClient.invalidateQueries()
  return {
    ...result,
    done: changed.length,
    cancelled: ids.length - reached,
    ...(changed.length > 0 && { undo: () => undoAll(changed, undo) }),
  }
}

/** Undoes all changes that can be undone. Rejects if some could not. */
async function undoAll(ids: string[], undo: Calls['undo']) {
  let failed = 0
  for (const id of ids) await undo(id).catch(() => failed++)
  void queryClient.invalidateQueries()
  if (failed > 0) throw new DescribedError(`${failed} of ${ids.length} were not changed back.`)
}
