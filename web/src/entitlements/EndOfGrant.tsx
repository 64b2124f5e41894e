import { Status } from '../ui/Status.tsx'
import { formatDate } from './days.ts'

/** Until when an organisation has an entitlement: “Until 1 Mar 2027”, or “Ends on 1 Dec 2026” once that is decided. */
export function EndOfGrant({ endsAt, ending = false }: { endsAt: string | null; ending?: boolean | undefined }) {
  if (endsAt === null) return <span className="text-ink3">No end</span>
  if (ending) return <Status tone="warn">Ends on {formatDate(endsAt)}</Status>
  return <span className="text-ink3">Until {formatDate(endsAt)}</span>
}
