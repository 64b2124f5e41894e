import { getUser, type User, updateUser } from '@passport/contract/users'
import { call, query } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { type Saved, useRecordForm } from '../directory/record-form.ts'
import { UserFields } from './UserFields.tsx'

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

/** The form of a user's profile. */
export function UserForm({ user, onClose }: { user: User; onClose: () => void }) {
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
      onClose()
    },
  })
  const { register } = record.form
  return (
    <EditCard record={record} recordLabel="this user" title="Edit user" onClose={onClose}>
      <UserFields register={register} errorOf={record.errorOf} className="" />
    </EditCard>
  )
}
