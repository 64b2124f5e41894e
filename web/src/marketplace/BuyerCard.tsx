import type { AwsSubscription } from '@passport/contract/aws-subscriptions'
import { Card } from '../ui/Card.tsx'
import { formatAccount } from './words.ts'

/** Who bought it: the account at AWS, and the address for messages. */
export function BuyerCard({ subscription }: { subscription: AwsSubscription }) {
  const { customerAwsAccountId, customerIdentifier, contactEmail, note } = subscription
  const facts: [string, string | null][] = [
    ['AWS account', customerAwsAccountId && formatAccount(customerAwsAccountId)],
    ['Customer ID', customerIdentifier],
    ['Email', contactEmail],
    ['Note', note],
  ]
  return (
    <Card title="Buyer">
      <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] gap-x-4 gap-y-2.5 px-4 pt-1 pb-4 sm:px-[18px]">
        {facts.map(
          ([term, text]) =>
            text && (
              <div key={term} className="contents">
                <dt className="text-ink3">{term}</dt>
                <dd className="min-w-0 whitespace-pre-line [overflow-wrap:anywhere]">
                  {term === 'Email' ? (
                    <a href={`mailto:${text}`} className="link">
                      {text}
                    </a>
                  ) : (
                    text
                  )}
                </dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  )
}
