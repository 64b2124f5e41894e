import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

const UserPermissions = lazyPart(async () => (await import('../permission-lookup/UserPermissions.tsx')).UserPermissions)

/** A user's permissions in applications, loaded on request because they may be many. */
export function PermissionsCard({ userId, name }: { userId: string; name: string }) {
  const [isShown, setShown] = useState(false)
  const subject = `passport/user:${userId}`
  return (
    <Card
      title="Permissions"
      action={
        <Link
          to="/admin/tools/permissions/lookupResources"
          search={{ subject } as never}
          className="link pt-1 text-[13px]"
        >
          Open lookup
        </Link>
      }
    >
      <div className="px-4 pb-[18px] sm:px-[18px]">
        {isShown ? (
          <Suspense fallback={<Skeleton label="Loading permissions" rows={2} />}>
            <UserPermissions userId={userId} />
          </Suspense>
        ) : (
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-ink2">
            What {name} can do in applications
            <Button isSmall onClick={() => setShown(true)}>
              Show permissions
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
