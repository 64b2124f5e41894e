import { lazy, Suspense } from 'react'
import { Card } from '../ui/Card.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import type { JoinTarget } from './join-target.ts'

const Loaded = lazy(async () => ({ default: (await import('./JoinLinksCard.tsx')).JoinLinksCard }))

/** The links by which people join an organisation or a group, for whoever runs it. Loaded when it is first shown. */
export function JoinLinks(target: JoinTarget) {
  return (
    <Suspense fallback={<Waiting />}>
      <Loaded {...target} />
    </Suspense>
  )
}

const Waiting = () => (
  <Card title="Join links">
    <Skeleton label="Loading links" rows={3} />
  </Card>
)
