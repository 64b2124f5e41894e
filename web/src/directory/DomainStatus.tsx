import type { OrgDomain } from '@passport/contract/org-domains'
import { Status } from '../ui/Status.tsx'

const statusLabels = {
  verified: { tone: 'ok', label: 'Verified' },
  pending: { tone: 'warn', label: 'Not verified' },
  lapsed: { tone: 'bad', label: 'Lapsed' },
} as const

/** The verification status of a domain. */
export function DomainStatus({ domain: { status, failingSince } }: { domain: OrgDomain }) {
  if (status === 'verified' && failingSince) return <Status tone="warn">Verified, record missing</Status>
  const { tone, label } = statusLabels[status]
  return <Status tone={tone}>{label}</Status>
}
