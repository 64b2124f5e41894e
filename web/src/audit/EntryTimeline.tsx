import type { AuditEntry } from '@passport/contract/audit'
import type { ReactNode } from 'react'
import { type AuditItem, AuditTimeline } from '../directory/AuditTimeline.tsx'
import { Sentence } from './Sentence.tsx'
import type { useAudit } from './use-audit.ts'

/** A part of the audit as a timeline; `empty` stands where nothing is in it. */
export function EntryTimeline({ audit, empty }: { audit: ReturnType<typeof useAudit>; empty: ReactNode }) {
  const { entries, failure, retry, more, isLoadingMore } = audit
  const known = new Map(entries?.map((entry) => [entry.id, entry]))
  return (
    <AuditTimeline
      items={entries?.map(itemOf)}
      sentence={({ id }) => {
        const entry = known.get(id)
        return entry && <Sentence entry={entry} />
      }}
      failure={failure}
      onRetry={retry}
      onMore={more}
      isLoadingMore={isLoadingMore}
      empty={empty}
    />
  )
}

const itemOf = ({ userAgent, ...entry }: AuditEntry): AuditItem => ({
  ...entry,
  userAgent: userAgent && [userAgent.browser, userAgent.os].filter(Boolean).join(', '),
})
