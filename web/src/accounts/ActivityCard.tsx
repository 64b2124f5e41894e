import { type Activity, listActivity } from '@passport/contract/accounts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatActivity, needsAttention } from '../app/activity.ts'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { useProviderName } from '../app/provider-names.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

const pageSize = 10
/** The maximum page size of the call. */
const maxShown = 200

/** The recent activity of the caller's account, with a button to show more. */
export function ActivityCard() {
  const [limit, setLimit] = useState(pageSize)
  const activity = useQuery({ ...query(listActivity, { query: { limit } }), placeholderData: keepPreviousData })
  return (
    <Card title="Activity" description="Sign-ins, failed attempts and access changes.">
      <Loaded query={activity} label="Loading activity" rows={4} rowClass="h-8">
        {({ items, next }) => (
          <>
            {items.length === 0 && <Empty kind="nothing yet" title="No activity yet" />}
            <ul className="px-5">
              {items.map((event) => (
                <ActivityRow key={event.id} event={event} />
              ))}
            </ul>
            {next && limit < maxShown && (
              <div className="border-t border-line px-5 py-3">
                <Button
                  isSmall
                  isBusy={activity.isPlaceholderData}
                  onClick={() => setLimit(Math.min(limit + pageSize, maxShown))}
                >
                  Show more
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function ActivityRow({ event }: { event: Activity }) {
  const { at, ip, userAgent, action } = event
  const nameOf = useProviderName()
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 border-t border-line py-2.5">
      <span className="flex min-w-0 items-baseline gap-2">
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full ${needsAttention(action) ? 'bg-bad' : 'bg-ok'}`}
        />
        <span>
          {formatActivity(event, nameOf)}
          <span className="text-ink3"> {ip && [userAgent.browser, ip].filter(Boolean).join(', ')}</span>
        </span>
      </span>
      <span className="text-[13px] text-ink3">
        <RelativeTime at={at} />
      </span>
    </li>
  )
}
