import { lazy, Suspense, useState } from 'react'
import { failureOf } from '../app/api.ts'
import type { Failed } from '../ui/ResultReport.tsx'
import { toast } from '../ui/toast.ts'
import type { Selected, Selection } from './selection.ts'

const ResultReport = lazy(async () => ({ default: (await import('../ui/ResultReport.tsx')).ResultReport }))

/** What became of a bulk action. `undo` is there where it can be taken back. */
export interface BulkResult {
  done: number
  failed: Failed[]
  undo?: () => Promise<unknown>
}

/**
 * Something that can be done to the chosen rows, by one call for all of them. `run` may ask first; it answers nothing
 * where whoever was asked decided against it, and rejects with what the call threw.
 */
export interface BulkAction {
  label: string
  isDanger?: boolean
  /** What is said of it when it is done: `(count) => `${count} people disabled``. */
  said: (count: number) => string
  run: (selected: Selected) => Promise<BulkResult | undefined>
}

interface Report {
  action: BulkAction
  result: BulkResult
}

export interface Running {
  /** The action that goes on. */
  current: BulkAction | undefined
  report: Report | undefined
  start: (action: BulkAction, selected: Selected) => void
  close: () => void
}

/** Runs bulk actions one at a time: what is done is told in a message with Undo, what failed stays as a report. */
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
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
    }
    setCurrent(undefined)
  }

  function finish(action: BulkAction, result: BulkResult) {
    selection.clear()
    const said = action.said(result.done)
    if (result.done > 0 && result.undo) void tellWithUndo(said, result.undo)
    else if (result.done > 0) void toast({ type: 'success', content: said })
    const failed = result.failed.map((one) => ({ ...one, name: one.name ?? nameOf(one.id) }))
    if (failed.length > 0) setReport({ action, result: { ...result, failed } })
  }
  return {
    current,
    report,
    start: (action, selected) => void start(action, selected),
    close: () => setReport(undefined),
  }
}

async function tellWithUndo(said: string, undo: () => Promise<unknown>) {
  const { undoToast } = await import('../ui/undo-toast.ts')
  await undoToast(said, undo, (error) => failureOf(error).detail)
}

/** The report of a bulk action of which some failed, which can be tried again. */
export function BulkReport({ running: { report, start, close } }: { running: Running }) {
  if (!report) return null
  const { action, result } = report
  const again = () => start(action, { ids: result.failed.map(({ id }) => id) })
  return (
    <div className="mt-3">
      <Suspense>
        <ResultReport done={action.said(result.done)} failed={result.failed} onRetry={again} onClose={close} />
      </Suspense>
    </div>
  )
}
