import type { AuditEntry } from '@passport/contract/audit'
import type { ReactNode } from 'react'
import { type AuditItem, AuditTimeline } from '../directory/AuditTimeline.tsx'
import { Sentence } from './Sentence.tsx'
import { saidIn } from './sentences.ts'
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

function itemOf({ userAgent, ...entry }: AuditEntry): AuditItem {
  const said = saidIn({ userAgent, ...entry })
  return {
    ...entry,
    before: without(entry.before, said),
    after: without(entry.after, said),
    userAgent: userAgent && [userAgent.browser, userAgent.os].filter(Boolean).join(', '),
  }
}

const without = (side: AuditEntry['before'], names: string[]) =>
  side && Object.fromEntries(Object.entries(side).filter(([name]) => !names.includes(name)))
