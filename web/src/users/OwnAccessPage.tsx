import { getOwnAccess, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query, toFailure } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import type { PathStep } from '../directory/AccessPath.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { GroupsAndOrgs, RoleLine } from './AccessReasons.tsx'

const OwnPermissions = lazyPart(async () => (await import('../permissions/OwnPermissions.tsx')).OwnPermissions)

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
  if (!data) return <Placeholder />
  return (
    // On a phone, the rail appears after the permissions, which would push it down.
    <div className="cols max-nav:has-[>div_.skeleton]:[&>aside]:hidden">
      <div className="grid gap-4">
        <Card title="Roles">
          {data.roles.length === 0 && <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No roles</p>}
          <ul className="pb-1">
            {data.roles.flatMap(({ name, sources }) =>
              sources.map((source) => (
                <RolePath
                  key={`${name} ${source.kind === 'group' ? source.group.id : ''}`}
                  role={name}
                  source={source}
                />
              )),
            )}
          </ul>
        </Card>
        <Card title="Permissions">
          <div className="px-4 pb-4 sm:px-[18px]">
            <Suspense fallback={<Skeleton label="Loading permissions" rows={2} />}>
              <OwnPermissions />
            </Suspense>
          </div>
        </Card>
      </div>
      <aside className="grid content-start gap-4">
        <GroupsAndOrgs access={data} area="account" />
      </aside>
    </div>
  )
}

/** The path from the user to a role, directly or through a group. */
function RolePath({ role, source }: { role: string; source: UserAccess['roles'][number]['sources'][number] }) {
  const { sub = '', name, preferred_username: username } = useCurrentUser()?.claims ?? {}
  return (
    <RoleLine
      steps={[
        { kind: 'user', id: sub, name: name ?? username ?? '', label: 'You' },
        ...(source.kind === 'group' ? [toGroupStep(source.group)] : []),
        { kind: 'role', id: role, name: role },
      ]}
      date={
        <>
          {source.kind === 'group' ? 'Since' : 'Added'} <RelativeTime at={source.since} inSentence />
        </>
      }
    />
  )
}

const toGroupStep = ({ id, name }: { id: string; name: string }): PathStep => ({
  kind: 'group',
  id,
  name,
  link: { to: '/account/groups/$groupId', params: { groupId: id } },
})

function Placeholder() {
  return (
    <div className="cols" aria-busy="true">
      <span className="sr-only">Loading access</span>
      {['h-[220px]', 'h-[120px]'].map((height) => (
        <div key={height} className={`card grid content-start gap-4 p-4 sm:px-[18px] ${height}`}>
          <div className="skeleton h-5 w-24" />
          <div className="skeleton h-7" />
        </div>
      ))}
    </div>
  )
}
