import type { AuditEntry } from '@passport/contract/audit'
import { type ReactNode, useState } from 'react'
import { AuditTimeline } from '../directory/AuditTimeline.tsx'
import { type AuditItem, EventItem } from '../directory/EventItem.tsx'
import { type EntryGroup, groupEntries, toGroupEntry } from './group-entries.ts'
import { Sentence } from './Sentence.tsx'
import { findCoveredNames } from './sentences.ts'
import type { useAudit } from './use-audit.ts'

interface EntryTimelineProps {
  audit: ReturnType<typeof useAudit>
  /** Shown without events. */
  empty: ReactNode
  /** The id of the user whose activity this is; sentences about their own events omit them. */
  subject?: string | undefined
  isBrief?: boolean
}

/** Audit events as a timeline, with one row for a bulk change. */
export function EntryTimeline({ audit, empty, subject, isBrief = false }: EntryTimelineProps) {
  const { entries, failure, retry, loadMore, isLoadingMore } = audit
  const groups = entries && groupEntries(entries)
  const groupsById = new Map(groups?.map((group) => [group[0].id, group]))
  return (
    <AuditTimeline
      items={groups?.map((group) => (group.length === 1 ? toItem(group[0]) : toGroupItem(group[0])))}
      sentence={({ id }) => {
        const group = groupsById.get(id)
        if (!group) return null
        if (group.length === 1) return <Sentence entry={group[0]} subject={subject} />
        return <GroupSentence group={group} isOpen={loadMore !== undefined && group === groups?.at(-1)} />
      }}
      subject={subject}
      isBrief={isBrief}
      failure={failure}
      onRetry={retry}
      onMore={loadMore}
      isLoadingMore={isLoadingMore}
      empty={empty}
    />
  )
}

/** A change of many records, with its events on request. */
function GroupSentence({ group, isOpen }: { group: EntryGroup; isOpen: boolean }) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <Sentence entry={toGroupEntry(group, isOpen)} />{' '}
      <button
        type="button"
        aria-expanded={isShown}
        className="ml-1.5 min-h-6 text-[13px] font-[560] text-stamp hover:underline pointer-coarse:min-h-11"
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide' : 'Show'}
      </button>
      {isShown && (
        <ol className="mt-2">
          {group.map((entry) => (
            <EventItem key={entry.id} item={toItem(entry)} sentence={<Sentence entry={entry} />} />
          ))}
        </ol>
      )}
    </>
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

/** The changes of a group differ from event to event. */
const toGroupItem = (newest: AuditEntry): AuditItem => ({ ...toItem(newest), before: null, after: null })

const omit = (side: AuditEntry['before'], names: string[]) =>
  side && Object.fromEntries(Object.entries(side).filter(([name]) => !names.includes(name)))
