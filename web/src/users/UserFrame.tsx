import { getUser, listUserSessions, type User } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { BadgeCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage, type RecordTab } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { nameOf, statusNames, statusTones } from '../directory/user-names.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { UserForm } from './UserForm.tsx'
import { useUserActions } from './use-user-actions.tsx'

const back = { to: '/admin/users', label: 'Users' } as const

interface UserFrameProps {
  /** Cards below the details. */
  rail?: (user: User) => ReactNode
  /** Whether the rail has the organisations, which the details then leave out. */
  hasOrgsInRail?: boolean
  children: (user: User) => ReactNode
}

/** The shared parts of a user's pages: header, tabs, form and details. */
export function UserFrame({ rail, hasOrgsInRail = false, children }: UserFrameProps) {
  const { userId = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const user = useQuery(query(getUser, { params: { userId } }))
  const sessions = useQuery(query(listUserSessions, { params: { userId } }))
  return (
    <RecordQuery query={user} kind="user" back={back}>
      {(user) => (
        <RecordPage
          back={back}
          picture={<Avatar id={user.id} name={nameOf(user)} picture={user.avatarPngUrl} size={60} />}
          name={nameOf(user)}
          id={user.id}
          status={<Status tone={statusTones[user.status]}>{statusNames[user.status]}</Status>}
          tabs={buildTabs(user, sessions.isPending ? null : sessions.data?.length)}
          facts={[
            user.email && <Email key="email" address={user.email} isVerified={user.emailVerified} />,
            user.username && `@${user.username}`,
            user.orgs.map(({ name }) => name).join(', '),
          ]}
          actions={<Actions user={user} />}
          details={[
            ['Last sign-in', user.lastSignInAt ? <RelativeTime at={user.lastSignInAt} /> : 'Never'],
            ['Created', <RelativeTime key="created" at={user.createdAt} />],
            ['Updated', <RelativeTime key="updated" at={user.updatedAt} />],
            user.orgs.length > 0 && !hasOrgsInRail && ['Organisations', <Orgs key="orgs" orgs={user.orgs} />],
          ]}
          rail={rail?.(user)}
        >
          {isEditing && <UserForm key={user.id} user={user} onClose={close} />}
          {children(user)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function buildTabs({ id: userId, effectiveRoles, logins }: User, sessionCount: number | null | undefined): RecordTab[] {
  const tabs = [
    ['/admin/users/$userId', 'Overview'],
    ['/admin/users/$userId/access', 'Access', effectiveRoles.length],
    ['/admin/users/$userId/logins', 'Sign-in methods', logins.length],
    ['/admin/users/$userId/sessions', 'Sessions', sessionCount],
    ['/admin/users/$userId/preferences', 'Preferences'],
    ['/admin/users/$userId/activity', 'Activity'],
  ] as const
  return tabs.map(([to, label, count]) => ({ to, params: { userId }, label, count }))
}

function Actions({ user }: { user: User }) {
  const { itemsFor, dialogs } = useUserActions()
  return (
    <>
      <EditButton />
      <PageMenu isOfRecord items={itemsFor(user)} />
      {dialogs}
    </>
  )
}

function Orgs({ orgs }: Pick<User, 'orgs'>) {
  return orgs.map(({ id, name, role }) => (
    <span key={id} className="block">
      <Link to="/admin/orgs/$orgId" params={{ orgId: id }} className="hover:underline">
        {name}
      </Link>
      <span className="text-ink3">, {role}</span>
    </span>
  ))
}

function Email({ address, isVerified }: { address: string; isVerified: boolean }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      {address}
      {isVerified ? (
        <BadgeCheck size={15} className="shrink-0 text-ok" role="img" aria-label="verified" />
      ) : (
        <span className="text-ink3">unverified</span>
      )}
    </span>
  )
}
