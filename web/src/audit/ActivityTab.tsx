import type { TargetKind } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { EntryTimeline } from './EntryTimeline.tsx'
import { useAudit } from './use-audit.ts'

/** What was done to one thing, on the page of it. */
export function ActivityTab({ kind, id }: { kind: TargetKind; id: string }) {
  const filter = kind === 'role' ? { role: id } : { target: `${kind}:${id}` }
  const audit = useAudit(filter)
  return (
    <Card
      title="Activity"
      about={
        kind === 'role'
          ? 'What happened to it, and who got it or lost it, newest first.'
          : 'What happened to it, newest first.'
      }
      action={
        <Link to="/admin/audit" search={filter as never} className="link">
          Open in the audit
        </Link>
      }
    >
      <EntryTimeline audit={audit} empty={<Empty kind="nothing yet" title="Nothing has happened to it yet" />} />
    </Card>
  )
}
