import type { AuditEntry } from '@passport/contract/audit'
import type { ReactNode } from 'react'
import { type AuditItem, AuditTimeline } from '../directory/AuditTimeline.tsx'
import { Sentence } from './Sentence.tsx'
import { findCoveredNames } from './sentences.ts'
import type { useAudit } from './use-audit.ts'

/** Audit entries as a timeline; `empty` is shown without entries. */
export function EntryTimeline({ audit, empty }: { audit: ReturnType<typeof useAudit>; empty: ReactNode }) {
  const { entries, failure, retry, loadMore, isLoadingMore } = audit
  const entriesById = new Map(entries?.map((entry) => [entry.id, entry]))
  return (
    <AuditTimeline
      items={entries?.map(toItem)}
      sentence={({ id }) => {
        const entry = entriesById.get(id)
        return entry && <Sentence entry={entry} />
      }}
      failure={failure}
      onRetry={retry}
      onMore={loadMore}
      isLoadingMore={isLoadingMore}
      empty={empty}
    />
  )
}

function toItem({ userAgent, ...entry }: AuditEntry): AuditItem {
  const covered = findCoveredNames({ userAgent, ...entry })
  return {
    ...entry,
    before: omit(entry.before, covered),
    after: omit(entry.after, covered),
    userAgent: userAgent && [userAgent.browser, userAgent.os].filter(Boolean).join(', '),
  }
}

const omit = (side: AuditEntry['before'], names: string[]) =>
  side && Object.fromEntries(Object.entries(side).filter(([name]) => !names.includes(name)))
