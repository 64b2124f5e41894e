import { getUser, type User } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { BadgeCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { ActionsMenu } from '../directory/ActionsMenu.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { nameOf, statusNames, statusTones } from './names.ts'
import { useUserActions } from './use-user-actions.tsx'

const back = { to: '/admin/users', label: 'Users' } as const

/** The shared parts of a user's pages: header, tabs and details. */
export function UserFrame({ children }: { children: (user: User) => ReactNode }) {
  const { userId = '' } = useParams({ strict: false })
  const user = useQuery(query(getUser, { params: { userId } }))
  return (
    <RecordQuery query={user} kind="user" back={back}>
      {(user) => (
        <RecordPage
          back={back}
          picture={<Avatar id={user.id} name={nameOf(user)} size={60} />}
          name={nameOf(user)}
          id={user.id}
          status={<Status tone={statusTones[user.status]}>{statusNames[user.status]}</Status>}
          tabs={tabsOf(user.id)}
          facts={[
            user.email && <Email key="email" address={user.email} isVerified={user.emailVerified} />,
            user.username && `@${user.username}`,
            user.orgs.map(({ name }) => name).join(', '),
          ]}
          actions={<Actions user={user} />}
          details={[
            ['Last sign-in', user.lastSignInAt ? <RelativeTime at={user.lastSignInAt} /> : 'Never'],
            ['Created', <RelativeTime key="created" at={user.createdAt} />],
          ]}
        >
          {children(user)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

const tabsOf = (userId: string) =>
  (
    [
      ['/admin/users/$userId', 'Profile'],
      ['/admin/users/$userId/access', 'Access'],
      ['/admin/users/$userId/logins', 'Logins'],
      ['/admin/users/$userId/sessions', 'Sessions'],
      ['/admin/users/$userId/preferences', 'Preferences'],
      ['/admin/users/$userId/activity', 'Activity'],
    ] as const
  ).map(([to, label]) => ({ to, params: { userId }, label }))

function Actions({ user }: { user: User }) {
  const { itemsFor, dialogs } = useUserActions()
  return (
    <>
      <ActionsMenu items={itemsFor(user)} />
      {dialogs}
    </>
  )
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
