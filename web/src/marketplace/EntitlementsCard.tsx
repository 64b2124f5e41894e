import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import { CardText } from '../directory/CardRows.tsx'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { EntitlementTag } from './ProductParts.tsx'
import { endOf } from './words.ts'

/** What AWS entitles the buyer to, and what the organisation has by it. */
export function EntitlementsCard({ subscription }: { subscription: AwsSubscription }) {
  const { entitlements, product, status, org } = subscription
  return (
    <Card title="Entitlements" description={findReason(subscription)}>
      {entitlements.length === 0 ? (
        <CardText>
          {product.pricingModel === 'subscription'
            ? 'Unlimited: what is used is metered.'
            : status === 'pending'
              ? 'Known once AWS confirms the subscription.'
              : 'None.'}
        </CardText>
      ) : (
        <div className="pb-1">
          <table className="w-full text-left">
            <thead>
              <tr className="[&_th]:px-2.5 [&_th]:pb-2 [&_th]:text-[12px] [&_th]:font-[500] [&_th]:text-ink3 [&_th:first-child]:pl-4 [&_th:last-child]:pr-4 sm:[&_th:first-child]:pl-[18px] sm:[&_th:last-child]:pr-[18px]">
                <th scope="col">AWS dimension</th>
                <th scope="col">Entitlement</th>
                <th scope="col" className="w-32 max-sm:hidden">
                  Until
                </th>
                <th scope="col" className="text-right sm:w-28">
                  Total
                </th>
              </tr>
            </thead>
            <tbody>
              {entitlements.map(({ dimension, value, expiresAt, entitlement }) => (
                <tr
                  key={dimension}
                  className="h-[46px] border-t border-hair [&_td]:px-2.5 [&_td:first-child]:pl-4 [&_td:last-child]:pr-4 sm:[&_td:first-child]:pl-[18px] sm:[&_td:last-child]:pr-[18px]"
                >
                  <td className="font-mono text-[13px] break-all">{dimension}</td>
                  <td>
                    {entitlement ? (
                      <EntitlementTag entitlement={entitlement} />
                    ) : (
                      <span className="text-ink3">Not mapped</span>
                    )}
                  </td>
                  <td className="text-ink2 max-sm:hidden">
                    {endOf(expiresAt) ? <RelativeTime at={expiresAt ?? ''} /> : '–'}
                  </td>
                  <td className="text-right tabular-nums">
                    <Value value={value} isGiven={org !== null && (status === 'active' || status === 'ending')} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}

/** Says why the organisation has nothing, or soon nothing, by the subscription. */
function findReason({ org, status, finalMeteringUntil }: AwsSubscription) {
  if (status === 'active' && !org) return 'Nobody has them until the subscription belongs to an organisation.'
  if (status === 'ending')
    return finalMeteringUntil ? (
      <>
        They end <RelativeTime at={finalMeteringUntil} inSentence />.
      </>
    ) : (
      'They end when AWS says so.'
    )
  if (status === 'ended') return 'They have ended with the subscription.'
  return undefined
}

function Value({ value, isGiven }: { value: number | boolean | string | null; isGiven: boolean }) {
  if (typeof value === 'number') return value.toLocaleString('en')
  if (value === true) return <Status tone={isGiven ? 'ok' : 'off'}>Included</Status>
  return value === false || value === null ? '–' : value
}
