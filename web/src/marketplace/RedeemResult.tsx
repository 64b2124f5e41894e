import { listOwnSubscriptions } from '@passport/contract/marketplace'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { query } from '../app/api.ts'
import { buttonClass } from '../ui/Button.tsx'
import { BuyerFrame, Lead } from './BuyerFrame.tsx'
import type { Redeemed } from './RedeemForm.tsx'

const pollMs = 10_000
/** AWS confirms most subscriptions within this time. */
const waitMs = 2 * 60_000

/** The end of the set-up. A pending subscription is polled, until AWS confirms it or two minutes have passed. */
export function RedeemResult({ redemption, orgName }: Redeemed) {
  const { subscriptionId, product, message } = redemption
  const [isWaiting, setWaiting] = useState(redemption.status === 'pending')
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), waitMs)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useQuery({
    ...query(listOwnSubscriptions, {}),
    enabled: isWaiting,
    refetchInterval: pollMs,
  })
  const status = data?.find(({ id }) => id === subscriptionId)?.status ?? redemption.status
  useEffect(() => {
    if (status !== 'pending') setWaiting(false)
  }, [status])
  if (status === 'pending')
    return (
      <BuyerFrame title={isWaiting ? 'Waiting for AWS' : 'Not confirmed yet'}>
        <Lead role="status">
          {isWaiting
            ? `${orgName} has the subscription to ${product.name}. AWS usually confirms it within two minutes.`
            : message}
        </Lead>
        {isWaiting && <div className="mx-auto mt-6 h-1 w-40 skeleton" />}
        <SubscriptionsLink variant="plain" />
      </BuyerFrame>
    )
  if (status === 'active' || status === 'ending')
    return (
      <BuyerFrame title="Your subscription is ready">
        <Lead role="status">
          The members of {orgName} can use {product.name} now.
        </Lead>
        <SubscriptionsLink variant="primary" />
      </BuyerFrame>
    )
  return (
    <BuyerFrame title="AWS did not confirm the subscription">
      <Lead role="alert">Check its payment in AWS Marketplace, or contact support.</Lead>
      <SubscriptionsLink variant="plain" />
    </BuyerFrame>
  )
}

const SubscriptionsLink = ({ variant }: { variant: 'primary' | 'plain' }) => (
  <Link className={`${buttonClass(variant)} mt-6 h-11 w-full`} to="/account/subscriptions">
    See your subscriptions
  </Link>
)
