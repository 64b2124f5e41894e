import type { ReactNode } from 'react'
import { PageMenu } from '../directory/PageMenu.tsx'
import { NotConfigured } from './NotConfigured.tsx'
import { SubscriptionViews } from './SubscriptionViews.tsx'

interface ViewFrameProps {
  /** The line below the heading. */
  summary: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A view of the page of subscriptions besides its list. */
export function ViewFrame({ summary, actions, children }: ViewFrameProps) {
  return (
    <section>
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <div>
          <h1>Subscriptions</h1>
          <p role="status" className="mt-1 min-h-[21px] text-ink2">
            {summary}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {actions}
          <PageMenu />
        </div>
      </header>
      <SubscriptionViews />
      <NotConfigured />
      <div className="mt-4 card">{children}</div>
    </section>
  )
}
