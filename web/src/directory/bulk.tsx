import { useState } from 'react'
import { reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import { type Failed, ResultReport } from '../ui/ResultReport.tsx'
import type { Selected, Selection } from './selection.ts'

/** The result of a bulk action. `undo` is set if it can be undone. */
export interface BulkResult {
  done: number
  failed: Failed[]
  undo?: () => Promise<unknown>
}

/**
 * An action on the selected rows in one call. `run` may ask first; it resolves with undefined if cancelled, and rejects
 * with the call's error.
 */
export interface BulkAction {
  label: string
  isDanger?: boolean
  /** The success message: `(count) => `${count} users disabled``. */
  doneMessage: (count: number) => string
  run: (selected: Selected) => Promise<BulkResult | undefined>
}

interface Report {
  action: BulkAction
  result: BulkResult
}

export interface Running {
  /** The running action. */
  current: BulkAction | undefined
  report: Report | undefined
  start: (action: BulkAction, selected: Selected) => void
  close: () => void
}

/** Runs bulk actions one at a time: successes are shown in a toast with Undo, failures in a report. */
export function useBulk(selection: Selection, nameOf: (id: string) => string | undefined): Running {
  const [current, setCurrent] = useState<BulkAction>()
  const [report, setReport] = useState<Report>()

  async function start(action: BulkAction, selected: Selected) {
    setCurrent(action)
    setReport(undefined)
    try {
      const result = await action.run(selected)
      if (result) finish(action, result)
    } catch (error) {
      reportFailure(action.label.toLowerCase(), error)
    }
    setCurrent(undefined)
  }

  function finish(action: BulkAction, result: BulkResult) {
    selection.clear()
    const message = action.doneMessage(result.done)
    if (result.done > 0 && result.undo) reportWithUndo(message, result.undo)
    else if (result.done > 0) reportSuccess(message)
    const failed = result.failed.map((failure) => ({ ...failure, name: failure.name ?? nameOf(failure.id) }))
    if (failed.length > 0) setReport({ action, result: { ...result, failed } })
  }
  return {
    current,
    report,
    start: (action, selected) => void start(action, selected),
    close: () => setReport(undefined),
  }
}

/** The report of a bulk action with failures, which can be retried. */
export function BulkReport({ running: { report, start, close } }: { running: Running }) {
  if (!report) return null
  const { action, result } = report
  const retry = () => start(action, { ids: result.failed.map(({ id }) => id) })
  return (
    <div className="mt-3">
      <ResultReport doneText={action.doneMessage(result.done)} failed={result.failed} onRetry={retry} onClose={close} />
    </div>
  )
}
