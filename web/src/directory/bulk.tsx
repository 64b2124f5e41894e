import { type ReactNode, useRef, useState } from 'react'
import { reportFailure, reportSuccess, reportWithUndo } from '../app/messages.ts'
import type { Failed } from '../ui/ResultReport.tsx'
import type { Selected, Selection } from './selection.ts'

/** The result of a bulk action. `undo` is set if it can be undone. */
export interface BulkResult {
  done: number
  /** The number of rows that had the target state already. */
  unchanged?: number
  failed: Failed[]
  /** The number of rows not reached because the action was cancelled. */
  cancelled?: number
  undo?: () => Promise<unknown>
}

/** The progress of an action on many rows: “Deleting 1,200 of 2,002…”, or “Checking 2,002 users…” before it writes. */
export interface BulkProgress {
  text: string
  done: number
  total: number
}

/** The work on one selection: it reports its progress, and stops before its next part once `signal` is aborted. */
export interface BulkWork {
  report: (progress: BulkProgress | undefined) => void
  signal: AbortSignal
}

/**
 * An action on the selected rows. `run` may ask for confirmation; it resolves with undefined if cancelled before it wrote, and rejects
 * with the call's error.
 */
export interface BulkAction {
  label: string
  icon?: ReactNode
  isDanger?: boolean
  /** The success message: `(count) => `${count} users disabled``. */
  doneMessage: (count: number) => string
  run: (selected: Selected, work: BulkWork) => Promise<BulkResult | undefined>
}

interface Report {
  action: BulkAction
  result: BulkResult
}

export interface Running {
  /** The running action. */
  current: BulkAction | undefined
  progress: BulkProgress | undefined
  report: Report | undefined
  start: (action: BulkAction, selected: Selected) => void
  /** Stops after the running part. */
  cancel: () => void
  isCancelled: boolean
  close: () => void
}

/** Runs bulk actions one at a time: successes are shown in a toast with Undo, failures in a report. */
export function useBulk(selection: Selection, nameOf: (id: string) => string | undefined): Running {
  const [current, setCurrent] = useState<BulkAction>()
  const [progress, setProgress] = useState<BulkProgress>()
  const [report, setReport] = useState<Report>()
  const [isCancelled, setCancelled] = useState(false)
  const controller = useRef<AbortController>(undefined)

  async function start(action: BulkAction, selected: Selected) {
    controller.current = new AbortController()
    setCurrent(action)
    setReport(undefined)
    setCancelled(false)
    try {
      const result = await action.run(selected, { report: setProgress, signal: controller.current.signal })
      if (result) finish(action, result)
    } catch (error) {
      reportFailure(action.label.toLowerCase(), error)
    }
    setCurrent(undefined)
    setProgress(undefined)
  }

  function finish(action: BulkAction, result: BulkResult) {
    selection.clear()
    const message = describeResult(action, result)
    if (result.done > 0 && result.undo) reportWithUndo(message, result.undo)
    else if (result.done > 0 || result.failed.length === 0) reportSuccess(message)
    const failed = result.failed.map((failure) => ({ ...failure, name: failure.name ?? nameOf(failure.id) }))
    if (failed.length > 0) setReport({ action, result: { ...result, failed } })
  }
  return {
    current,
    progress,
    report,
    start: (action, selected) => void start(action, selected),
    cancel: () => {
      controller.current?.abort()
      setCancelled(true)
    },
    isCancelled,
    close: () => setReport(undefined),
  }
}

/** Formats “35 users disabled, 1 skipped”. Failures are in the report. */
function describeResult(action: BulkAction, { done, unchanged = 0, cancelled = 0 }: BulkResult): string {
  const rest = [
    unchanged > 0 && `${unchanged.toLocaleString('en')} skipped`,
    cancelled > 0 && `${cancelled.toLocaleString('en')} not reached`,
  ]
  return [action.doneMessage(done), ...rest.filter(Boolean)].join(', ')
}
