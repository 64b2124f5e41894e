import type { Grant } from '@passport/contract/entitlement-grants'
import { Badge } from '../ui/Badge.tsx'
import { Status } from '../ui/Status.tsx'
import { describeGrant, sourceNames } from './words.ts'

/** The state of a definition; a disabled one counts nothing. */
export const EntitlementStatus = ({ enabled }: { enabled: boolean }) => (
  <Status tone={enabled ? 'ok' : 'off'}>{enabled ? 'Enabled' : 'Disabled'}</Status>
)

export function GrantStatus({ grant, at = new Date() }: { grant: Grant; at?: Date | undefined }) {
  const { tone, text } = describeGrant(grant, at)
  return <Status tone={tone}>{text}</Status>
}

/** Where grants come from: administrators, or subscriptions of the AWS Marketplace. */
export const Sources = ({ sources }: { sources: readonly Grant['source'][] }) =>
  sources.length === 0 ? (
    <span className="text-ink3">–</span>
  ) : (
    <span className="inline-flex gap-1">
      {sources.map((source) => (
        <Badge key={source}>{sourceNames[source]}</Badge>
      ))}
    </span>
  )

/** From this share on, the bar is amber. */
const nearlyUsed = 0.9

interface MeterProps {
  /** What is measured: “Northwind Theatre, seats used”. */
  label: string
  used: number
  /** Null without a limit, which has no bar. */
  total: number | null
}

/** A bar of what is used, and its number. */
export function Meter({ label, used, total }: MeterProps) {
  const number = <span className="w-10 shrink-0 text-right text-[13px] tabular-nums">{used.toLocaleString('en')}</span>
  if (total === null) return <span className="flex justify-end">{number}</span>
  const share = total === 0 ? (used > 0 ? 1 : 0) : Math.min(used / total, 1)
  return (
    <span className="flex items-center gap-3">
      {/* biome-ignore lint/a11y/useSemanticElements: the native bar cannot have the colours of charts */}
      <span
        role="meter"
        aria-label={label}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={Math.max(total, used)}
        className="block h-1.5 min-w-16 flex-1 overflow-hidden rounded-full bg-well shadow-[inset_0_0_0_1px_var(--line)]"
      >
        <span
          className={`block h-full rounded-full ${share >= nearlyUsed ? 'bg-warn' : 'bg-data'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {number}
    </span>
  )
}
