import { countUserSignIns, getUserAccess, listUserSessions, type User, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query, toFailure } from '../app/api.ts'
import { CardFoot, CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { nameOf } from '../directory/user-names.ts'
import { UserAvatarCard } from '../profile/UserAvatarCard.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { RolePaths } from './AccessReasons.tsx'
import { EnrolmentLink } from './EnrolmentLink.tsx'
import { SignInStrip } from './SignInStrip.tsx'
import { UserFrame } from './UserFrame.tsx'
import { UserSessions } from './UserSessions.tsx'

/** The overview of a user: sign-ins, sessions, roles, sign-in methods and groups. */
export function UserPage() {
  return <UserFrame rail={(user) => <Rail user={user} />}>{(user) => <Overview user={user} />}</UserFrame>
}

/** The maximum of rows in a card; the tabs have all of them. */
const maxRows = 5

const useAccess = (user: User) => useQuery(query(getUserAccess, { params: { userId: user.id } }))

function Overview({ user }: { user: User }) {
  const params = { userId: user.id }
  const signIns = useQuery(query(countUserSignIns, { params }))
  const sessions = useQuery(query(listUserSessions, { params }))
  const access = useAccess(user)
  // The cards appear together: each would push down those below it.
  if (signIns.isPending || sessions.isPending || access.isPending) return <Loading />
  return (
    <>
      {signIns.error ? (
        <ErrorCard failure={toFailure(signIns.error)} onRetry={() => void signIns.refetch()} />
      ) : (
        <SignInStrip days={signIns.data.days} />
      )}
      <UserSessions user={user} limit={maxRows} />
      {access.error ? (
        <ErrorCard failure={toFailure(access.error)} onRetry={() => void access.refetch()} />
      ) : (
        <Roles user={user} roles={access.data.roles} />
      )}
    </>
  )
}

function Loading() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <span className="sr-only">Loading overview</span>
      <div className="skeleton h-52" />
      <div className="skeleton h-48" />
      <div className="skeleton h-44" />
    </div>
  )
}

function Roles({ user, roles }: { user: User; roles: UserAccess['roles'] }) {
  return (
    <Card
      title="Effective access"
      action={<TabLink user={user} to="/admin/users/$userId/access" label="Manage access" />}
    >
      {roles.length === 0 && <CardText>No roles</CardText>}
      <ul className="pb-1">
        {roles.slice(0, maxRows).map(({ name, sources }) => (
          <RolePaths key={name} user={user} role={name} sources={sources} />
        ))}
      </ul>
      {roles.length > maxRows && (
        <CardFoot>
          <TabLink user={user} to="/admin/users/$userId/access" label={`All ${roles.length} roles`} />
        </CardFoot>
      )}
    </Card>
  )
}

function Rail({ user }: { user: User }) {
  const groups = useAccess(user).data?.groups
  return (
    <>
      <Card
        title="Sign-in methods"
        action={user.logins.length > 0 && <TabLink user={user} to="/admin/users/$userId/logins" label="Manage" />}
      >
        {user.logins.length === 0 && <EnrolmentLink user={user} />}
        <CardRows>
          {user.logins.map(({ id, provider, label, lastUsedAt }) => (
            <CardRow
              key={id}
              picture={<ObjectIcon kind="secret" size={32} />}
              name={provider.name}
              detail={
                <>
                  {label} · {lastUsedAt ? <RelativeTime at={lastUsedAt} inSentence /> : 'never used'}
                </>
              }
            />
          ))}
        </CardRows>
      </Card>
      {groups && (
        <Card title="Groups">
          {groups.length === 0 && <CardText>None</CardText>}
          <CardRows>
            {groups.slice(0, maxRows).map(({ id, name, memberSince, ownerSince }) => (
              <CardRow
                key={id}
                picture={<ObjectIcon kind="group" />}
                name={
                  <Link to="/admin/groups/$groupId" params={{ groupId: id }} className="hover:underline">
                    {name}
                  </Link>
                }
                aside={[ownerSince && 'Owner', memberSince && 'Member'].filter(Boolean).join(', ')}
              />
            ))}
          </CardRows>
          {groups.length > maxRows && (
            <CardFoot>
              <TabLink user={user} to="/admin/users/$userId/access" label={`All ${groups.length} groups`} />
            </CardFoot>
          )}
        </Card>
      )}
      <UserAvatarCard userId={user.id} name={nameOf(user)} />
    </>
  )
}

interface TabLinkProps {
  user: User
  to: '/admin/users/$userId/access' | '/admin/users/$userId/logins'
  label: string
}

const TabLink = ({ user, to, label }: TabLinkProps) => (
  <Link to={to} params={{ userId: user.id }} className="link text-[13px]">
    {label}
  </Link>
)
