import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { PermissionReach } from '../app/PermissionReach.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

/** What applications let a person do; worked out only when somebody asks, for it may be much. */
export function PermissionsCard({ userId }: { userId: string }) {
  const [isAsked, setAsked] = useState(false)
  const subject = `passport/user:${userId}`
  return (
    <Card
      title="Permissions"
      about="What they can reach by relationships, and on which path."
      action={
        <Link
          to="/admin/tools/permissions/lookupResources"
          search={{ subject } as never}
          className="link pt-1 text-[13px]"
        >
          Ask more
        </Link>
      }
    >
      <div className="px-5 pb-5">
        {isAsked ? (
          <Suspense fallback={<Skeleton label="Loading permissions" rows={2} />}>
            <PermissionReach userId={userId} />
          </Suspense>
        ) : (
          <Button onClick={() => setAsked(true)}>Show permissions</Button>
        )}
      </div>
    </Card>
  )
}
