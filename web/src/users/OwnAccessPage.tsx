import { getOwnAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { failureOf, query } from '../app/api.ts'
import { OwnPermissionReach } from '../app/OwnPermissionReach.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { GroupsAndOrgs, Line, Lines, RoleReasons } from './AccessReasons.tsx'

/** What whoever is signed in may do and belongs to, and why. */
export function OwnAccessPage() {
  return (
    <div className="max-w-[860px]">
      <AccountHead />
      <OwnAccess />
    </div>
  )
}

function OwnAccess() {
  const { data, error, refetch } = useQuery(query(getOwnAccess, {}))
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label="Loading access" rows={4} />
  return (
    <div className="grid gap-6">
      <Card title="Roles" about="What you may do here, and what gives it to you.">
        <Lines none="No roles.">
          {data.roles.map(({ name, sources }) => (
            <Line key={name} name={<Tag>{name}</Tag>} why={<RoleReasons sources={sources} area="account" />} />
          ))}
        </Lines>
      </Card>
      <GroupsAndOrgs access={data} area="account" />
      <Card title="Permissions" about="What you can reach by relationships, and on which path.">
        <div className="px-5 pb-5">
          <Suspense fallback={<Skeleton label="Loading permissions" rows={2} />}>
            <OwnPermissionReach />
          </Suspense>
        </div>
      </Card>
    </div>
  )
}
