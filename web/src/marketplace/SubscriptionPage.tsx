import { EntitlementsCard } from './EntitlementsCard.tsx'
import { SubscriptionFrame } from './SubscriptionFrame.tsx'
import { TimelineCard } from './TimelineCard.tsx'

/** A subscription: its state, what it gives, and what happened to it. */
export const SubscriptionPage = () => (
  <SubscriptionFrame hasRail>
    {(subscription) => (
      <>
        <EntitlementsCard subscription={subscription} />
        <TimelineCard subscriptionId={subscription.id} />
      </>
    )}
  </SubscriptionFrame>
)
