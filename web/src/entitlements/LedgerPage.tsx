import { type LedgerEntry, listLedger } from '@passport/contract/entitlement-grants'
import type { Entitlement } from '@passport/contract/entitlements'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  CircleCheck,
  CirclePlus,
  CircleSlash,
  CircleX,
  History,
  type LucideIcon,
  Pencil,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { call, toFailure } from '../app/api.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatPeriod } from './days.ts'
import { EntitlementFrame } from './EntitlementFrame.tsx'
import { formatQuantity, formatValue, sourceNames } from './words.ts'

/** Every change of a definition and its grants; nobody can edit it. */
export const LedgerPage = () => (
  <EntitlementFrame>{(entitlement) => <Ledger entitlement={entitlement} />}</EntitlementFrame>
)

/** The entries that are loaded at once. */
const pageSize = 50

function Ledger({ entitlement }: { entitlement: Entitlement }) {
  const params = { entitlementId: entitlement.id }
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [listLedger.path, { params, query: { limit: pageSize } }],
    queryFn: ({ pageParam, signal }) =>
      call(listLedger, { params, query: { limit: pageSize, after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })
  const entries = data?.pages.flatMap(({ items }) => items)
  return (
    <Card title="Ledger" description="Every change, newest first. Entries can't be edited or deleted.">
      {error ? (
        <ErrorCard failure={toFailure(error, 'load the ledger')} onRetry={() => void refetch()} />
      ) : !entries ? (
        <Skeleton label="Loading the ledger" rows={6} />
      ) : entries.length === 0 ? (
        <Empty kind="nothing yet" title="No entries yet" />
      ) : (
        <ol className="pb-1">
          {entries.map((entry) => (
            <Entry key={entry.sequence} entitlement={entitlement} entry={entry} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div className="border-t border-hair px-4 py-3 sm:px-[18px]">
          <Button isSmall isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier entries
          </Button>
        </div>
      )}
    </Card>
  )
}

const icons: Record<string, LucideIcon> = {
  created: CirclePlus,
  enabled: CircleCheck,
  disabled: CircleSlash,
  deleted: Trash2,
  restored: RotateCcw,
  granted: CirclePlus,
  changed: Pencil,
  closed: CircleX,
  'org-deleted': Trash2,
  'org-restored': RotateCcw,
}

function Entry({ entitlement, entry }: { entitlement: Entitlement; entry: LedgerEntry }) {
  const { action, recordedAt, source, startsAt, endsAt, org } = entry
  const Icon = icons[action] ?? Pencil
  return (
    <li className="flex items-center gap-3 border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]">
      <span aria-hidden="true" className="grid size-[28px] shrink-0 place-items-center rounded-lg bg-well text-ink2">
        <Icon size={15} strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="[overflow-wrap:anywhere]">
          <Sentence entitlement={entitlement} entry={entry} /> {source && <Badge>{sourceNames[source]}</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-4 text-[13px] text-ink3">
          {org && startsAt && <span>{formatPeriod(startsAt, endsAt)}</span>}
          <RelativeTime at={recordedAt} />
        </p>
      </div>
      <Link
        to="/admin/entitlements/$entitlementId/edit"
        params={{ entitlementId: entitlement.id }}
        search={{ at: recordedAt } as never}
        aria-label="Show grants at this moment"
        className={`${buttonClass('ghost', true)} shrink-0`}
      >
        <History size={15} aria-hidden="true" />
        <span className="max-sm:hidden">Show grants</span>
      </Link>
    </li>
  )
}

/** Says what an entry changed, and who changed it. */
function Sentence({ entitlement: { kind, unit, name }, entry }: { entitlement: Entitlement; entry: LedgerEntry }) {
  const { action, actor, org, quantity, before } = entry
  const who = actor ? <Strong>{actor.name}</Strong> : 'Passport'
  const what =
    kind === 'flag' ? (
      <Strong>{name}</Strong>
    ) : (
      <Strong>{quantity === null ? `${unit ?? name} without a limit` : formatValue(quantity, unit)}</Strong>
    )
  const whom = org && (
    <Link to="/admin/orgs/$orgId" params={{ orgId: org.id }} className="font-[580] hover:underline">
      {org.name}
    </Link>
  )
  switch (action) {
    case 'granted':
      return (
        <>
          {who} granted {what} to {whom}
        </>
      )
    case 'changed':
      return (
        <>
          {who} changed the grant of {whom}
          {before && before.quantity !== quantity && (
            <>
              {' '}
              from {formatQuantity(before.quantity, null)} to {what}
            </>
          )}
        </>
      )
    case 'closed':
      return (
        <>
          {who} closed the grant of {whom}
        </>
      )
    case 'org-deleted':
      return <>{whom} was deleted</>
    case 'org-restored':
      return <>{whom} was restored</>
    default:
      return (
        <>
          {who} {action} the entitlement
        </>
      )
  }
}

const Strong = ({ children }: { children: ReactNode }) => <strong className="font-[580]">{children}</strong>
