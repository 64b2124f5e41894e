import type { PermissionStatus } from '@passport/contract/permissions'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Status } from '../ui/Status.tsx'

const names = { embedded: 'Embedded', spicedb: 'SpiceDB' }
const number = new Intl.NumberFormat()

/** The engine, its revision and lag, and its number of relationships. */
export function EngineCard({ status }: { status: UseQueryResult<PermissionStatus> }) {
  return (
    <Card title="Engine">
      <Loaded query={status} label="Loading engine status" rows={2} rowClass="h-9">
        {({ engine, revision, lag, counts }) => (
          <div className="px-5 pb-5">
            <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
              <Fact name="Engine">
                {names[engine.kind]} <span className="text-ink2">{engine.version}</span>
              </Fact>
              <Fact name="Revision">
                <span className="flex min-w-0 items-center gap-1">
                  <code className="truncate font-mono text-[13px]">{revision}</code>
                  <CopyButton text={revision} label="Copy revision" />
                </span>
              </Fact>
              <Fact name="Lag">{lag ? <Lag {...lag} /> : 'Not reported'}</Fact>
              <Fact name="Relationships">
                {counts ? number.format(counts.reduce((sum, entry) => sum + entry.relationships, 0)) : 'Not reported'}
              </Fact>
            </dl>
            {counts && counts.length > 0 && <Counts counts={counts} />}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-ink2">{name}</dt>
      <dd className="mt-0.5 min-h-8 text-[15px] font-[560]">{children}</dd>
    </div>
  )
}

function Lag({ commits, milliseconds }: NonNullable<PermissionStatus['lag']>) {
  if (commits === 0) return <Status tone="ok">Up to date</Status>
  const time = milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
  return (
    <Status tone={milliseconds < 1000 ? 'ok' : 'warn'}>
      {number.format(commits)} {commits === 1 ? 'commit' : 'commits'}, {time}
    </Status>
  )
}

/** Relationships by the type of their resource, most first. */
function Counts({ counts }: { counts: NonNullable<PermissionStatus['counts']> }) {
  const maxCount = Math.max(1, ...counts.map(({ relationships }) => relationships))
  const sorted = counts.toSorted((a, b) => b.relationships - a.relationships)
  return (
    <ul
      aria-label="Relationships by type"
      className="mt-4 grid gap-x-8 gap-y-1 border-t border-line pt-4 md:grid-cols-2"
    >
      {sorted.map(({ type, relationships }) => (
        <li key={type} className="grid grid-cols-[minmax(0,1fr)_minmax(3rem,1fr)_auto] items-center gap-3">
          <Link
            to="/admin/tools/relations"
            search={{ resourceType: type } as never}
            className="link truncate font-mono text-[13px] leading-[24px]"
          >
            {type}
          </Link>
          <span aria-hidden="true" className="h-1.5 rounded-full bg-well">
            <span
              className="block h-full rounded-full bg-ink3"
              style={{ width: `${Math.round((relationships / maxCount) * 100)}%` }}
            />
          </span>
          <span className="text-right tabular-nums">{number.format(relationships)}</span>
        </li>
      ))}
    </ul>
  )
}
