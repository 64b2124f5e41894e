import { ResultReport } from '../ui/ResultReport.tsx'
import type { Running } from './bulk.tsx'

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
