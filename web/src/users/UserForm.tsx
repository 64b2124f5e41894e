import { getUser, type User, updateUser } from '@passport/contract/users'
import { call, query } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { UserFields } from './UserFields.tsx'

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
}

/** What administrators change elsewhere is left out of the record: it may be long. */
function toSaved({ roles: _, orgs: __, logins: ___, ...user }: User) {
  const { displayname, email, emailVerified, username, version } = user
  const values: Values = { displayname: displayname ?? '', email: email ?? '', emailVerified, username: username ?? '' }
  return { values, version, record: user }
}

/** The form of a user's profile. */
export function UserForm({ user, onClose }: { user: User; onClose: () => void }) {
  const params = { userId: user.id }
  const cacheUser = (user: User) => queryClient.setQueryData(query(getUser, { params }).queryKey, user)
  const record = useRecordForm({
    saved: toSaved(user),
    labels: { displayname: 'Display name', email: 'Email', emailVerified: 'Email verified', username: 'Username' },
    fieldByCode: { 'email-taken': 'email', 'username-taken': 'username' },
    save: ({ displayname, email, emailVerified, username }, options, user) => {
      const fields = { displayname: displayname || null, email: email || null, emailVerified }
      return call(updateUser, { params, body: { ...user, ...fields, username: username || null } }, options)
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
