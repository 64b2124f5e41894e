import { lazy, Suspense } from 'react'
import { Card } from '../ui/Card.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import type { JoinTarget } from './join-target.ts'

const LazyJoinLinksCard = lazy(async () => ({ default: (await import('./JoinLinksCard.tsx')).JoinLinksCard }))

/** The join links of an organisation or a group, for its managers. Loaded when first shown. */
export function JoinLinks(target: JoinTarget) {
  return (
    <Suspense fallback={<Placeholder />}>
      <LazyJoinLinksCard {...target} />
    </Suspense>
  )
}

const Placeholder = () => (
  <Card title="Join links">
    <Skeleton label="Loading links" rows={3} />
  </Card>
)
