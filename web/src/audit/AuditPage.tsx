import { exportAuditEntries } from '@passport/contract/audit'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { type AuditSearch, filterOf, searchOf } from './audit-search.ts'
import { EntryTimeline } from './EntryTimeline.tsx'
import { RetentionCard } from './RetentionCard.tsx'
import { useAudit } from './use-audit.ts'

/** Who did what, everywhere; what is shown stands in the address. */
export function AuditPage() {
  const search = searchOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const show = (next: AuditSearch) => void navigate({ to: '.', search: next as never, resetScroll: false })
  const filter = filterOf(search)
  const audit = useAudit(filter)
  return (
    <div className="max-w-[960px]">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1>Audit</h1>
          <p className="mt-1 text-ink2">Who did what, when, and from where. Nobody can change it.</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {(['csv', 'json'] as const).map((format) => (
            <a key={format} className={buttonClass()} href={exportAddress({ ...filter, format })} download>
              <Download size={16} />
              Export {format.toUpperCase()}
            </a>
          ))}
        </div>
      </header>
      <AuditFilters search={search} onShow={show} />
      {/* Nothing here may hide what overflows, or the days would not stick. */}
      <section
        aria-labelledby="audit-events"
        className="mt-4 rounded-box border border-line bg-card [&>section:first-of-type>h3]:rounded-t-box"
      >
        <h2 id="audit-events" className="sr-only">
          Events
        </h2>
        <EntryTimeline audit={audit} empty={<NoEvents search={search} onClear={() => show({})} />} />
      </section>
      <div className="mt-6">
        <RetentionCard />
      </div>
    </div>
  )
}

function NoEvents({ search, onClear }: { search: AuditSearch; onClear: () => void }) {
  if (Object.keys(search).length === 0) return <Empty kind="nothing yet" title="Nothing has happened yet" />
  const isAttempt = search.supportCode !== undefined || search.traceId !== undefined
  return (
    <Empty kind="no match" title={isAttempt ? 'No event is of this attempt' : 'No events match'}>
      <p>
        {isAttempt
          ? 'A failure that changed nothing may be in the log of the server only, under the same trace.'
          : 'Change what is shown, or clear the filters.'}
      </p>
      <Button className="mt-3" isSmall onClick={onClear}>
        Clear filters
      </Button>
    </Empty>
  )
}

function exportAddress(query: Record<string, string | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
  return `${exportAuditEntries.path}?${search}`
}
