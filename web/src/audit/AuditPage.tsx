import { getAuditRetention } from '@passport/contract/audit'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { AuditHead } from './AuditHead.tsx'
import { AuditTabs } from './AuditTabs.tsx'
import { type AuditSearch, parseAuditSearch, toFilter } from './audit-search.ts'
import { EntryTimeline } from './EntryTimeline.tsx'
import { EventsPerDay } from './EventsPerDay.tsx'
import { RetentionLine } from './RetentionLine.tsx'
import { useAudit } from './use-audit.ts'

/** The audit log of all records; its filters are in the URL. */
export function AuditPage() {
  const search = parseAuditSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const show = (next: AuditSearch) => void navigate({ to: '.', search: next as never, resetScroll: false })
  const filter = toFilter(search)
  const audit = useAudit(filter)
  const { data: retention } = useQuery(query(getAuditRetention, {}))
  const copyConfig = useCopyAsConfig(retention && { audit: retention })
  return (
    <div>
      <AuditHead line={<RetentionLine />} filter={filter} copyConfig={copyConfig} />
      <AuditTabs />
      <AuditFilters search={search} entries={audit.entries} onShow={show} />
      <EventsPerDay search={search} onPick={(day) => show({ ...search, from: day, to: day })} />
      {/* No ancestor may clip overflow, or the day headings would not stick. */}
      <section aria-labelledby="audit-events" className="mt-4 card [&>section:first-of-type>h3]:rounded-t-box">
        <h2 id="audit-events" className="sr-only">
          Events
        </h2>
        <EntryTimeline audit={audit} empty={<NoEvents search={search} onClear={() => show({})} />} />
      </section>
    </div>
  )
}

function NoEvents({ search, onClear }: { search: AuditSearch; onClear: () => void }) {
  if (Object.keys(search).length === 0) return <Empty kind="nothing yet" title="No events yet" />
  const isAttempt = search.supportCode !== undefined || search.traceId !== undefined
  return (
    <Empty kind="no match" title={isAttempt ? 'No events for this support code' : 'No events match'}>
      <p>
        {isAttempt
          ? 'The attempt may only be in the server log, under the same trace ID.'
          : 'Change or clear the filters.'}
      </p>
      <Button className="mt-3" isSmall onClick={onClear}>
        Clear filters
      </Button>
    </Empty>
  )
}
