import type { PermissionStatus } from '@passport/contract/permissions'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Status } from '../ui/Status.tsx'

const names = { embedded: 'Embedded', spicedb: 'SpiceDB' }
const number = new Intl.NumberFormat()

/** The engine, its revision and lag, and its relationships by the type of their resource, most first. */
export function EngineBar({ status }: { status: UseQueryResult<PermissionStatus> }) {
  return (
    <section aria-label="Engine" className="min-h-[5.1rem] card px-5 py-2.5 max-sm:min-h-[13rem]">
      <Loaded query={status} label="Loading engine status" rows={1} rowClass="h-8">
        {({ engine, revision, lag, counts }) => (
          <>
            <dl className="flex flex-wrap items-center gap-x-8 gap-y-1">
              <Fact name="Engine">
                {names[engine.kind]} {engine.version}
              </Fact>
              <Fact name="Lag">{lag ? <Lag {...lag} /> : 'Not reported'}</Fact>
              <Fact name="Revision">
                <code className="truncate font-mono text-[12.5px]">{revision}</code>
                <CopyButton text={revision} label="Copy revision" />
              </Fact>
              <Fact name="Relationships">
                {counts ? number.format(counts.reduce((sum, entry) => sum + entry.relationships, 0)) : 'Not reported'}
              </Fact>
            </dl>
            {counts && counts.length > 0 && (
              <ul aria-label="Relationships by type" className="flex flex-wrap gap-x-5 text-[13px]">
                {counts
                  .toSorted((a, b) => b.relationships - a.relationships)
                  .map(({ type, relationships }) => (
                    <li key={type}>
                      <Link
                        to="/admin/tools/relations"
                        search={{ resourceType: type } as never}
                        className="link inline-block font-mono text-[12.5px] leading-[24px]"
                      >
                        {type}
                      </Link>{' '}
                      <span className="text-ink2 tabular-nums">{number.format(relationships)}</span>
                    </li>
                  ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-8 min-w-0 items-center gap-2">
      <dt className="text-ink2">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1 font-[560]">{children}</dd>
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
