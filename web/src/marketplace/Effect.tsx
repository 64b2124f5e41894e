import type { AssignmentEffect } from '@passport/contract/aws-subscriptions'
import { ArrowRight } from 'lucide-react'
import { formatCount } from '../directory/total.ts'
import { Tag } from '../ui/Tag.tsx'

/** Which organisations would have more or less of which entitlement, and how many of their users. */
export function Effect({ effect: { gains, loses } }: { effect: AssignmentEffect }) {
  const rows = [...gains, ...loses]
  return (
    <section aria-label="Effect" aria-live="polite" className="rounded-ctl bg-well px-3 py-2.5">
      <h3 className="text-[12px] font-[560] text-ink3">Effect</h3>
      {rows.length === 0 ? (
        <p className="mt-1 text-ink2">Nothing changes now.</p>
      ) : (
        <ul>
          {rows.map(({ entitlement, org, people, from, to }) => (
            <li key={`${org.id} ${entitlement.id}`} className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-[580]">{org.name}</span>
              <span className="text-[13px] text-ink2">{formatCount(people, ['user', 'users'])}</span>
              <span className="ml-auto inline-flex flex-wrap items-center gap-1.5">
                <Tag>{entitlement.key}</Tag>
                <span className="text-ink2">{formatValue(from)}</span>
                <ArrowRight size={14} role="img" aria-label="to" className="text-ink3" />
                <span className="font-[580]">{formatValue(to)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function formatValue(value: number | boolean): string {
  if (typeof value === 'number') return value.toLocaleString('en')
  return value ? 'Included' : 'None'
}
