import { listAwsSubscriptionEvents, type TimelineEntry } from '@passport/contract/aws-subscriptions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { CardText } from '../directory/CardRows.tsx'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { describeEntry, isProblem, type TimelineLine } from './timeline.ts'
import { shorten } from './words.ts'

const filters = [
  { value: 'all', label: 'All' },
  { value: 'problems', label: 'Problems' },
] as const

/** What happened to a subscription: events of AWS, changes and grants, newest first. */
export function TimelineCard({ subscriptionId }: { subscriptionId: string }) {
  const [filter, setFilter] = useState<'all' | 'problems'>('all')
  const entries = useQuery(query(listAwsSubscriptionEvents, { params: { subscriptionId } }))
  return (
    <Card title="Timeline" action={<Segmented label="Show" value={filter} options={filters} onChange={setFilter} />}>
      <Loaded query={entries} label="Loading the timeline" rows={3}>
        {(all) => {
          const shown = filter === 'all' ? all : all.filter(isProblem)
          if (shown.length === 0) return <CardText>{filter === 'all' ? 'Nothing yet.' : 'No problems.'}</CardText>
          return (
            <ol className="px-4 pb-3 sm:px-[18px]">
              {shown.map((entry) => (
                <Entry key={`${entry.kind} ${entry.id}`} entry={entry} />
              ))}
            </ol>
          )
        }}
      </Loaded>
    </Card>
  )
}

const dots: Record<TimelineLine['tone'], string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  grant: 'bg-foil',
  plain: 'bg-ink3',
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const { title, detail, tone } = describeEntry(entry)
  return (
    <li className="relative flex gap-4 pb-4 pl-6 last:pb-1 before:absolute before:top-4 before:bottom-[-6px] before:left-[8.5px] before:w-px before:bg-line last:before:hidden">
      <span aria-hidden="true" className={`absolute top-[6px] left-1 size-2.5 rounded-full ${dots[tone]}`} />
      <div className="min-w-0 flex-1">
        <p className="font-[580] [overflow-wrap:anywhere]">{title}</p>
        {detail && (
          <p className={`text-[13px] [overflow-wrap:anywhere] ${tone === 'bad' ? 'text-bad' : 'text-ink2'}`}>
            {detail}
          </p>
        )}
      </div>
      <div className="shrink-0 text-right text-[13px] text-ink3">
        <RelativeTime at={entry.at} />
        {entry.reference && (
          <code className="block font-mono text-[12px]" title={entry.reference}>
            {shorten(entry.reference)}
          </code>
        )}
      </div>
    </li>
  )
}
