import type { TrashEntry } from '@passport/contract/trash'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess, reportWithView } from '../app/messages.ts'
import { formatRecordPath, toLink } from '../app/record-path.ts'
import type { Failed } from '../ui/ResultReport.tsx'
import { type NameConflict, type NewNames, restore } from './restore.ts'

/**
 * Restores records one at a time. If a name is taken, `restoreEntry` sets `conflict` until another name is chosen or
 * `dismiss` is called. `restoreAll` sets `report` to the records that could not be restored.
 */
export function useRestore() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [busyId, setBusyId] = useState<string>()
  const [conflict, setConflict] = useState<{ entry: TrashEntry; names: NewNames; conflict: NameConflict }>()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const [report, setReport] = useState<{ doneText: string; failed: Failed[] }>()
  const isStopped = useRef(false)
  const dismiss = () => setConflict(undefined)

  async function restoreEntry(entry: TrashEntry, names: NewNames = {}) {
    setBusyId(entry.id)
    try {
      const nameConflict = await restore(entry, names)
      if (nameConflict) return setConflict({ entry, names, conflict: nameConflict })
      dismiss()
      // The restored record is in other lists again.
      await queries.invalidateQueries()
      const view = () => void navigate(toLink(formatRecordPath(entry.kind, entry.id) ?? '/'))
      reportWithView(`${entry.name} restored`, view)
    } catch (error) {
      dismiss()
      reportFailure(`restore ${entry.name}`, error)
    } finally {
      setBusyId(undefined)
    }
  }

  async function restoreAll(entries: TrashEntry[]) {
    isStopped.current = false
    setReport(undefined)
    const failed: Failed[] = []
    let done = 0
    for (const [index, entry] of entries.entries()) {
      if (isStopped.current) break
      setProgress({ done: index, total: entries.length })
      const reason = await restore(entry, {}).then(
        (nameConflict) => nameConflict && `${nameConflict.message} Restore it alone to choose another name.`,
        (error: unknown) => toFailure(error).detail,
      )
      if (reason) failed.push({ id: entry.id, name: entry.name, reason })
      else done++
    }
    setProgress(undefined)
    await queries.invalidateQueries()
    const doneText = `${done.toLocaleString('en')} restored`
    if (failed.length > 0) setReport({ doneText, failed })
    else reportSuccess(doneText)
  }

  return {
    restoreEntry,
    restoreAll,
    /** Stops after the current record. */
    stop: () => {
      isStopped.current = true
    },
    busyId,
    progress,
    conflict,
    dismiss,
    report,
    closeReport: () => setReport(undefined),
  }
}
