import type { TargetKind } from '@passport/contract/audit'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { EntryTimeline } from './EntryTimeline.tsx'
import { useAudit } from './use-audit.ts'

/** The audit events of one record, on its page. */
export function ActivityTab({ kind, id }: { kind: TargetKind; id: string }) {
  const filter = kind === 'role' ? { role: id } : { target: `${kind}:${id}` }
  const audit = useAudit(filter)
  return (
    <Card
      title="Activity"
      {...(kind === 'role' && { description: 'Changes to this role and its members.' })}
      action={
        <Link to="/admin/audit" search={filter as never} className="link">
          Open in audit log
        </Link>
      }
    >
      <EntryTimeline
        audit={audit}
        empty={<Empty kind="nothing yet" title="No events yet" />}
        isBrief
        subject={kind === 'user' ? id : undefined}
      />
    </Card>
  )
}
