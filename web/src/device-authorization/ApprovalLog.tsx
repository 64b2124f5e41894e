import { Card } from '../ui/Card.tsx'
import { TimedList } from './TimedList.tsx'
import { useApprovalEvents } from './use-approval-events.ts'

const statusTexts: Record<string, string> = {
  pending: 'Not opened yet',
  viewed: 'Request opened',
  approved: 'Approved',
  denied: 'Denied, or three wrong attempts',
  expired: 'Expired',
}

/** The live log of the approving user's actions. */
export function ApprovalLog() {
  const lines = useApprovalEvents()
    .filter(({ status }) => statusTexts[status])
    .map(({ at, status }) => ({ key: at, at, content: <span>{statusTexts[status]}</span> }))
  return (
    <Card title="Approver" description="Live status of the approval.">
      <TimedList label="Approver events" lines={lines} isLive />
      {lines.length === 0 && <p className="px-4 pb-4 sm:px-[18px] text-ink3">No events yet.</p>}
    </Card>
  )
}
