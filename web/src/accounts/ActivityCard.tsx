import { type Activity, listActivity } from '@passport/contract/accounts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatActivity, needsAttention } from '../app/activity.ts'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

const pageSize = 10
/** The request of the first page. */
export const firstActivity = { query: { limit: pageSize } }
/** The maximum page size of the call. */
const maxShown = 200

/** The recent activity of the current user's account, with a button to show more. */
export function ActivityCard() {
  const [limit, setLimit] = useState(pageSize)
  const activity = useQuery({ ...query(listActivity, { query: { limit } }), placeholderData: keepPreviousData })
  return (
    <Card title="Activity">
      <Loaded query={activity} label="Loading activity" rows={4} rowClass="h-8">
        {({ items, next }) => (
          <>
            {items.length === 0 && <Empty kind="nothing yet" title="No activity yet" />}
            <ul className="px-4 pb-1.5 sm:px-[18px]">
              {items.map((event) => (
                <ActivityRow key={event.id} event={event} />
              ))}
            </ul>
            {next && limit < maxShown && (
              <div className="border-t border-hair px-4 py-3 sm:px-[18px]">
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
  return (
    <li className="flex gap-2.5 border-t border-hair py-2 first:border-0">
      <span
        aria-hidden="true"
        className={`mt-[7px] size-2 shrink-0 rounded-full ${needsAttention(action) ? 'bg-bad' : 'bg-ok'}`}
      />
      <div className="min-w-0">
        <p>{formatActivity(event)}</p>
        <p className="text-[13px] text-ink3">
          {ip && `${[userAgent.browser, ip].filter(Boolean).join(', ')}, `}
          <RelativeTime at={at} inSentence />
        </p>
      </div>
    </li>
  )
}
