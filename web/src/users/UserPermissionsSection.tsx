import { Link } from '@tanstack/react-router'
import { Suspense, useId } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

const UserPermissions = lazyPart(async () => (await import('../permission-lookup/UserPermissions.tsx')).UserPermissions)

/** A user's permissions in applications, a card for each type. */
export function UserPermissionsSection({ userId }: { userId: string }) {
  const id = useId()
  const subject = `passport/user:${userId}`
  return (
    <section aria-labelledby={id} className="mt-2">
      <header className="mb-2 flex items-baseline justify-between gap-3 px-4 sm:px-[18px]">
        <h2 id={id}>Permissions</h2>
        <Link to="/admin/tools/permissions/lookupResources" search={{ subject } as never} className="link text-[13px]">
          Open lookup
        </Link>
      </header>
      <Suspense fallback={<Placeholder />}>
        <UserPermissions userId={userId} />
      </Suspense>
    </section>
  )
}

const Placeholder = () => (
  <div className="card pt-5">
    <Skeleton label="Loading permissions" rows={2} />
  </div>
)
