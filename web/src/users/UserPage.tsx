import { getUser, type User, updateUser } from '@passport/contract/users'
import { call, query } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { type Saved, useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { PersonFields } from './PersonFields.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The editable profile of a user. */
export function UserPage() {
  return <UserFrame>{(user) => <ProfileForm key={user.id} user={user} />}</UserFrame>
}

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
}

const toSaved = ({ displayname, email, emailVerified, username, version }: User): Saved<Values> => ({
  values: { displayname: displayname ?? '', email: email ?? '', emailVerified, username: username ?? '' },
  version,
})

function ProfileForm({ user }: { user: User }) {
  const params = { userId: user.id }
  const cacheUser = (user: User) => queryClient.setQueryData(query(getUser, { params }).queryKey, user)
  const record = useRecordForm<Values>({
    saved: toSaved(user),
    labels: { displayname: 'Display name', email: 'Email', emailVerified: 'Email verified', username: 'Username' },
    fieldByCode: { 'email-taken': 'email', 'username-taken': 'username' },
    save: ({ displayname, email, emailVerified, username }, options) => {
      const body = { displayname: displayname || null, email: email || null, emailVerified, username: username || null }
      return call(updateUser, { params, body }, options)
    },
    reload: async () => toSaved(await call(getUser, { params })),
    onSaved: (response) => {
      cacheUser(response as User)
      void queryClient.invalidateQueries()
      reportSuccess('Saved')
    },
  })
  const { register } = record.form
  return (
    <RecordFormFrame record={record} recordLabel="this user">
      <Card title="Profile">
        <PersonFields register={register} errorOf={record.errorOf} />
      </Card>
    </RecordFormFrame>
  )
}
