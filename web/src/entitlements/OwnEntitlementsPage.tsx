import { listOwnEntitlements } from '@passport/contract/entitlement-grants'
import { useQuery } from '@tanstack/react-query'
import { AccountHead } from '../app/AccountHead.tsx'
import { query, toFailure } from '../app/api.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { EndOfGrant } from './EndOfGrant.tsx'
import { formatValue } from './words.ts'

/** What the user has through their organisations. */
export function OwnEntitlementsPage() {
  return (
    <div>
      <AccountHead />
      <section aria-label="Entitlements" className="card overflow-clip">
        <Entitlements />
      </section>
    </div>
  )
}

function Entitlements() {
  const { data, error, refetch } = useQuery(query(listOwnEntitlements, { query: {} }))
  if (error) return <ErrorCard failure={toFailure(error, 'load your entitlements')} onRetry={() => void refetch()} />
  if (!data)
    return (
      <div className="pt-5">
        <Skeleton label="Loading entitlements" rows={3} />
      </div>
    )
  if (data.length === 0)
    return (
      <Empty kind="nothing yet" title="No entitlements">
        What your organisations buy or are given appears here.
      </Empty>
    )
  return (
    <ul>
      {data.map((entitlement) => (
        <li key={entitlement.key} className="border-t border-hair px-4 py-3.5 first:border-0 sm:px-[18px]">
          <div className="flex items-center gap-3">
            <ObjectIcon kind="entitlement" size={32} />
            <div className="min-w-0 flex-1 leading-snug">
              <h2 className="truncate">{entitlement.name}</h2>
              <p className="truncate font-mono text-[12.5px] text-ink3">{entitlement.key}</p>
            </div>
            <p className="text-[15px] font-[620] tabular-nums">{formatValue(entitlement.value, entitlement.unit)}</p>
          </div>
          <ul className="mt-2 grid gap-1.5 pl-[calc(32px+--spacing(3))]">
            {entitlement.orgs.map((org) => (
              <li key={org.id} className="flex items-baseline gap-x-4 text-[13px]">
                <span className="flex min-w-0 flex-1 flex-wrap gap-x-4">
                  <span className="min-w-0 truncate text-ink2">{org.name}</span>
                  <EndOfGrant {...org} />
                </span>
                {entitlement.kind === 'quantity' && entitlement.orgs.length > 1 && (
                  <span className="whitespace-nowrap text-ink2 tabular-nums">
                    {formatValue(org.value, entitlement.unit)}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}
