import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import { useProviderName } from '../app/provider-names.ts'
import { CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { nameReason } from '../directory/failure-reasons.ts'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** The last failed sign-ins of users with an address at the domain. */
export function FailuresCard({ data: { normalizedDomain, recentFailures } }: { data: TenantDiscovery }) {
  const nameProvider = useProviderName()
  if (normalizedDomain === null) return null
  return (
    <Card title="Failed sign-ins" description={`The last 10 from ${normalizedDomain}`}>
      {recentFailures.length === 0 && <CardText>None</CardText>}
      <CardRows>
        {recentFailures.map(({ id, at, reason, idp, supportCode }) => (
          <CardRow
            key={id}
            name={reason ? nameReason(reason) : 'Failed'}
            detail={[idp && nameProvider(idp), supportCode && `Support code ${supportCode}`]
              .filter(Boolean)
              .join(' · ')}
            aside={<RelativeTime at={at} />}
          />
        ))}
      </CardRows>
    </Card>
  )
}
