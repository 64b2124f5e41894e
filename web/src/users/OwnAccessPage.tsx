import { getOwnAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query, toFailure } from '../app/api.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { AccessItem, AccessList, GroupsAndOrgs, RoleReasons } from './AccessReasons.tsx'

const OwnReach = lazyPart(async () => (await import('../permissions/OwnReach.tsx')).OwnReach)

/** The signed-in user's roles, groups, organisations and permissions, with reasons. */
export function OwnAccessPage() {
  return (
    <div>
      <AccountHead />
      <OwnAccess />
    </div>
  )
}

function OwnAccess() {
  const { data, error, refetch } = useQuery(query(getOwnAccess, {}))
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label="Loading access" rows={4} />
  return (
    <div className="grid gap-6">
      <Card title="Roles" description="Your roles and where they come from.">
        <AccessList emptyText="No roles.">
          {data.roles.map(({ name, sources }) => (
            <AccessItem key={name} name={<Tag>{name}</Tag>} reason={<RoleReasons sources={sources} area="account" />} />
          ))}
        </AccessList>
      </Card>
      <GroupsAndOrgs access={data} area="account" />
      <Card title="Permissions" description="What you can access, and why.">
        <div className="px-5 pb-5">
          <Suspense fallback={<Skeleton label="Loading permissions" rows={2} />}>
            <OwnReach />
          </Suspense>
        </div>
      </Card>
    </div>
  )
}
