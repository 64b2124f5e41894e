import type { GrantEffect as Effect } from '@passport/contract/entitlements'
import { ArrowRight } from 'lucide-react'
import { formatCount } from '../directory/total.ts'
import { formatDate } from './days.ts'
import { formatValue } from './words.ts'

/** The organisations that are named. */
const maxRows = 5

interface GrantEffectProps {
  /** Undefined while it is not known. */
  effect: Effect | undefined
  unit: string | null
  isStale?: boolean
}

/** Which organisations gain or lose by a change, and how many of their users. */
export function GrantEffect({ effect, unit, isStale = false }: GrantEffectProps) {
  const rows = effect && [...effect.gains, ...effect.loses]
  const shown = rows?.slice(0, maxRows) ?? []
  return (
    <section
      aria-label="Effect"
      aria-live="polite"
      aria-busy={isStale || undefined}
      className="min-h-[66px] rounded-ctl bg-well px-3 py-2.5"
    >
      <h3 className="text-[12px] font-[560] text-ink3">Effect</h3>
      {rows === undefined && <p className="mt-1 text-ink3">Shown once the grant is complete.</p>}
      {rows?.length === 0 && <p className="mt-1 text-ink2">No organisation gains or loses.</p>}
      {rows && rows.length > 0 && (
        <ul className={isStale ? 'opacity-60' : ''}>
          {shown.map(({ org, people, from, to, at }) => (
            <li key={org.id} className="mt-1 flex flex-wrap items-center gap-x-3">
              <span className="font-[580]">{org.name}</span>
              <span className="text-ink2">
                {formatCount(people, ['user', 'users'])}
                {Date.parse(at) > Date.now() && `, from ${formatDate(at)}`}
              </span>
              <span className="ml-auto inline-flex items-center gap-1.5 tabular-nums">
                <span className="text-ink2">{formatValue(from, null)}</span>
                <ArrowRight size={14} role="img" aria-label="to" className="text-ink3" />
                <span className="font-[580]">{formatValue(to, unit)}</span>
              </span>
            </li>
          ))}
          {rows.length > maxRows && (
            <li className="mt-1 text-ink2">
              and {formatCount(rows.length - maxRows, ['organisation', 'organisations'])} more
            </li>
          )}
        </ul>
      )}
    </section>
  )
}
