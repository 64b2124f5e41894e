import type { PermissionStatus } from '@passport/contract/permissions'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { formatCount } from '../directory/total.ts'
import { objectKindOf } from '../permissions/object-kind.ts'
import { describeType } from '../permissions/reference.ts'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Status } from '../ui/Status.tsx'

const names = { embedded: 'Embedded', spicedb: 'SpiceDB' }

/** The engine with its lag and revision, and the number of relationships by resource type, largest first. */
export function EngineCard({ status }: { status: UseQueryResult<PermissionStatus> }) {
  return (
    <Card
      title="Engine"
      action={
        status.data && (
          <span className="text-ink2">
            {names[status.data.engine.kind]} {status.data.engine.version}
          </span>
        )
      }
    >
      <Loaded query={status} label="Loading engine status" rows={3} rowClass="h-7">
        {({ revision, lag, counts }) => (
          <>
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 px-4 pb-3 sm:px-[18px]">
              <Fact name="Lag">{lag ? <Lag {...lag} /> : 'Not reported'}</Fact>
              <Fact name="Revision">
                <code className="truncate font-mono text-[12.5px]" title={revision}>
                  {revision}
                </code>
                <CopyButton text={revision} label="Copy revision" />
              </Fact>
              <Fact name="Relationships">
                {counts?.reduce((sum, entry) => sum + entry.relationships, 0).toLocaleString('en') ?? 'Not reported'}
              </Fact>
            </dl>
            {counts && counts.length > 0 && <Counts counts={counts} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** The number of relationships by resource type, as a bar chart. */
function Counts({ counts }: { counts: NonNullable<PermissionStatus['counts']> }) {
  const most = Math.max(1, ...counts.map(({ relationships }) => relationships))
  return (
    <ul
      aria-label="Relationships by type"
      className="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_auto] gap-x-3 border-t border-hair px-4 py-2.5 sm:px-[18px]"
    >
      {counts
        .toSorted((a, b) => b.relationships - a.relationships)
        .map(({ type, relationships }) => (
          <li key={type} className="col-span-3 grid grid-cols-subgrid items-center">
            <Link
              to="/admin/tools/relations"
              search={{ resourceType: type } as never}
              title={type}
              className="flex min-w-0 items-center gap-2 text-[13px] leading-[28px] font-[560] hover:underline pointer-coarse:leading-[44px]"
            >
              <ObjectIcon kind={objectKindOf(type)} size={20} />
              <span className="truncate">{describeType({ type })}</span>
            </Link>
            <span aria-hidden="true" className="h-2 rounded-full bg-well">
              <span
                className={`block h-full rounded-full bg-data ${relationships > 0 ? 'min-w-0.5' : ''}`}
                style={{ width: `${(relationships / most) * 100}%` }}
              />
            </span>
            <span className="text-right text-[13px] text-ink2">{relationships.toLocaleString('en')}</span>
          </li>
        ))}
    </ul>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink2">{name}</dt>
      <dd className="flex min-h-8 min-w-0 items-center justify-end gap-1 font-[560]">{children}</dd>
    </>
  )
}

function Lag({ commits, milliseconds }: NonNullable<PermissionStatus['lag']>) {
  if (commits === 0) return <Status tone="ok">Up to date</Status>
  const time = milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
  return (
    <Status tone={milliseconds < 1000 ? 'ok' : 'warn'}>
      {formatCount(commits, ['commit', 'commits'])}, {time}
    </Status>
  )
}
