import { getUser, type User } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { nameOf, statusNames, statusTones } from './names.ts'

const back = { to: '/admin/users', label: 'Users' } as const

/** The shared parts of a user's pages: header, tabs and summary. */
export function UserFrame({ children }: { children: (user: User) => ReactNode }) {
  const { userId = '' } = useParams({ strict: false })
  const user = useQuery(query(getUser, { params: { userId } }))
  return (
    <RecordQuery query={user} kind="user" back={back}>
      {(user) => (
        <RecordPage
          back={back}
          seed={user.id}
          name={nameOf(user)}
          id={user.id}
          status={<Status tone={statusTones[user.status]}>{statusNames[user.status]}</Status>}
          tabs={tabsOf(user.id)}
          summary={[
            ['Email', user.email ? `${user.email}${user.emailVerified ? '' : ' (unverified)'}` : 'None'],
            ['Username', user.username ?? 'None'],
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
