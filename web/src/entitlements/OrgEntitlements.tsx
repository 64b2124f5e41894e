import { type Grant, listOrgEntitlements, type OrgEntitlement } from '@passport/contract/entitlement-grants'
import type { Org } from '@passport/contract/orgs'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query, toFailure } from '../app/api.ts'
import { Badge } from '../ui/Badge.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { formatPeriod } from './days.ts'
import { EntitlementStatus, GrantStatus, Meter } from './GrantCells.tsx'
import { MomentPicker } from './MomentPicker.tsx'
import { useMoment } from './use-moment.ts'
import { formatValue, sourceNames } from './words.ts'

/** What an organisation has now, or had at the moment `at` of the URL; for administrators. */
export function OrgEntitlements({ org }: { org: Org }) {
  const { moment, showDay } = useMoment()
  const at = moment ? { at: moment.instant.toISOString() } : {}
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...query(listOrgEntitlements, { params: { orgId: org.id }, query: at }),
    placeholderData: keepPreviousData,
  })
  return (
    <Card
      title="Entitlements"
      description={moment && `As recorded at ${moment.label}.`}
      action={<MomentPicker moment={moment} onPick={showDay} />}
    >
      {error ? (
        <ErrorCard failure={toFailure(error, 'load the entitlements')} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton label="Loading entitlements" rows={3} />
      ) : data.length === 0 ? (
        <Empty kind="nothing yet" title="No entitlements">
          {moment ? (
            `${org.name} had none.`
          ) : (
            <>
              Grant one to {org.name} on its page in{' '}
              <Link to="/admin/entitlements" className="link">
                Entitlements
              </Link>
              .
            </>
          )}
        </Empty>
      ) : (
        <ul className={isPlaceholderData ? 'opacity-60' : ''}>
          {data.map((entitlement) => (
            <Item key={entitlement.id} entitlement={entitlement} at={moment?.instant} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Item({ entitlement, at }: { entitlement: OrgEntitlement; at: Date | undefined }) {
  const { id, key, name, unit, enabled, value, grants } = entitlement
  return (
    <li className="border-t border-hair px-4 py-3 first:border-0 sm:px-[18px]">
      <div className="flex items-center gap-3">
        <ObjectIcon kind="entitlement" size={32} />
        <div className="min-w-0 flex-1 leading-snug">
          <Link
            to="/admin/entitlements/$entitlementId/edit"
            params={{ entitlementId: id }}
            className="block truncate font-[580] hover:underline"
          >
            {name}
          </Link>
          <code className="block truncate font-mono text-[12.5px] text-ink3">{key}</code>
        </div>
        {!enabled && <EntitlementStatus enabled={enabled} />}
        <span className="font-[620] tabular-nums">{formatValue(value, unit)}</span>
      </div>
      <ul className="mt-2 grid gap-1.5 pl-[calc(32px+--spacing(3))]">
        {grants.map((grant) => (
          <GrantLine key={grant.id} grant={grant} name={name} at={at} isOnly={grants.length === 1} />
        ))}
      </ul>
    </li>
  )
}

interface GrantLineProps {
  grant: Grant
  /** The name of the entitlement. */
  name: string
  at: Date | undefined
  /** Whether its quantity is the value of the entitlement. */
  isOnly: boolean
}

function GrantLine({ grant, name, at, isOnly }: GrantLineProps) {
  const { source, startsAt, endsAt, quantity, used } = grant
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px]">
      <GrantStatus grant={grant} at={at} />
      <Badge>{sourceNames[source]}</Badge>
      <span className="whitespace-nowrap text-ink2">{formatPeriod(startsAt, endsAt)}</span>
      {used !== null && (
        <span className="ml-auto w-48 max-w-full">
          <Meter label={`${name} used`} used={used} total={quantity} />
        </span>
      )}
      {quantity !== null && !isOnly && (
        <span className="ml-auto text-ink2 tabular-nums">{quantity.toLocaleString('en')}</span>
      )}
    </li>
  )
}
