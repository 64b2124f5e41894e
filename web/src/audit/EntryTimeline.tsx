import type { AuditEntry } from '@passport/contract/audit'
import { type ReactNode, useState } from 'react'
import { AuditTimeline } from '../directory/AuditTimeline.tsx'
import { type AuditItem, EventItem } from '../directory/EventItem.tsx'
import { type EntryGroup, groupEntries, isRepeat, toGroupEntry, toRepeatEntry } from './group-entries.ts'
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

/** Audit events as a timeline, with one row for a bulk change, and for an event that happened again. */
export function EntryTimeline({ audit, empty, subject, isBrief = false }: EntryTimelineProps) {
  const { entries, failure, retry, loadMore, isLoadingMore } = audit
  const groups = entries && groupEntries(entries)
  const groupsById = new Map(groups?.map((group) => [group[0].id, group]))
  return (
    <AuditTimeline
      items={groups?.map((group) => (group.length === 1 ? toItem(group[0]) : toGroupItem(group)))}
      sentence={({ id }) => {
        const group = groupsById.get(id)
        if (!group) return null
        if (group.length === 1) return <Sentence entry={group[0]} subject={subject} />
        const isOpen = loadMore !== undefined && group === groups?.at(-1)
        return <GroupSentence group={group} isOpen={isOpen} subject={subject} />
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

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

interface GroupSentenceProps {
  group: EntryGroup
  /** Earlier events, which are not loaded yet, may belong to the group. */
  isOpen: boolean
  subject: string | undefined
}

/** A change of many records, or an event that happened again, with its events on request. */
function GroupSentence({ group, isOpen, subject }: GroupSentenceProps) {
  const [isShown, setShown] = useState(false)
  const isAgain = isRepeat(group)
  const since = timeFormat.format(new Date(group.at(-1)?.at ?? 0))
  const count = `${group.length}${isOpen ? '+' : ''} times`
  return (
    <>
      <Sentence entry={isAgain ? group[0] : toGroupEntry(group, isOpen)} subject={subject} />{' '}
      <button
        type="button"
        aria-expanded={isShown}
        className="ml-1.5 min-h-6 text-[13px] font-[560] text-stamp hover:underline pointer-coarse:min-h-11"
        onClick={() => setShown(!isShown)}
      >
        {isAgain ? `${count} since ${since}` : isShown ? 'Hide' : 'Show'}
      </button>
      {isShown && (
        <ol className="mt-2">
          {group.map((entry) => (
            <EventItem key={entry.id} item={toItem(entry)} sentence={<Sentence entry={entry} subject={subject} />} />
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

/** Of a group, only what its events have in common. */
const toGroupItem = (group: EntryGroup): AuditItem =>
  isRepeat(group) ? toItem(toRepeatEntry(group)) : { ...toItem(group[0]), before: null, after: null }

const omit = (side: AuditEntry['before'], names: string[]) =>
  side && Object.fromEntries(Object.entries(side).filter(([name]) => !names.includes(name)))
