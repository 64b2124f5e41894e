import type { OrgDomain } from '@passport/contract/org-domains'
import { Status } from '../ui/Status.tsx'

const told = {
  verified: { tone: 'ok', label: 'Proved' },
  pending: { tone: 'warn', label: 'Not proved yet' },
  lapsed: { tone: 'bad', label: 'Lapsed' },
} as const

/** How far a domain is proved. */
export function DomainStatus({ domain: { status, failingSince } }: { domain: OrgDomain }) {
  if (status === 'verified' && failingSince) return <Status tone="warn">Proved, its record is gone</Status>
  const { tone, label } = told[status]
  return <Status tone={tone}>{label}</Status>
}
