import { getUser, type User, updateUser } from '@passport/contract/users'
import { call, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { type Saved, useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { toast } from '../ui/toast.ts'
import { PersonFields } from './PersonFields.tsx'
import { UserDanger } from './UserDanger.tsx'
import { UserFrame } from './UserFrame.tsx'

/** What is known of a person, to be changed, and what should not be done by the way. */
export function UserPage() {
  return (
    <UserFrame>
      {(user) => (
        <>
          <Profile key={user.id} user={user} />
          <UserDanger user={user} />
        </>
      )}
    </UserFrame>
  )
}

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
}

const savedOf = ({ displayname, email, emailVerified, username, version }: User): Saved<Values> => ({
  values: { displayname: displayname ?? '', email: email ?? '', emailVerified, username: username ?? '' },
  version,
})

function Profile({ user }: { user: User }) {
  const params = { userId: user.id }
  const keep = (user: User) => queryClient.setQueryData(query(getUser, { params }).queryKey, user)
  const record = useRecordForm<Values>({
    saved: savedOf(user),
    labels: { displayname: 'Display name', email: 'E-mail', emailVerified: 'Verified', username: 'Username' },
    fieldOf: { 'email-taken': 'email', 'username-taken': 'username' },
    save: ({ displayname, email, emailVerified, username }, options) => {
      const body = { displayname: displayname || null, email: email || null, emailVerified, username: username || null }
      return call(updateUser, { params, body }, options)
    },
    reload: async () => savedOf(await call(getUser, { params })),
    onSaved: (answer) => {
      keep(answer as User)
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: 'Saved' })
    },
  })
  const { register } = record.form
  return (
    <RecordFormFrame record={record} what="this person">
      <Card title="Profile">
        <PersonFields registered={register} errorOf={record.errorOf} />
      </Card>
    </RecordFormFrame>
  )
}
