import { CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { DomainStatus } from '../directory/DomainStatus.tsx'
import { Status } from '../ui/Status.tsx'
import type { EntraOrg } from './wizard.ts'

const reasons = { taken: 'Another organisation has it', public: 'Public mail service' }

/** The domains of an organisation, and those of the tenant that it did not get. */
export function DomainList({ org: { domains, entra } }: { org: EntraOrg }) {
  if (domains.length + entra.rejectedDomains.length === 0) return <CardText>No domains</CardText>
  return (
    <CardRows>
      {domains.map((domain) => (
        <CardRow
          key={domain.domain}
          name={domain.domain}
          detail={domain.source === 'microsoft' && 'Verified at Microsoft'}
          aside={<DomainStatus domain={domain} />}
        />
      ))}
      {entra.rejectedDomains.map(({ domain, reason }) => (
        <CardRow key={domain} name={domain} detail={reasons[reason]} aside={<Status tone="off">Not added</Status>} />
      ))}
    </CardRows>
  )
}
