import { createUser, type User } from '@passport/contract/users'
import { Link, useNavigate } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { RoleChecks } from '../directory/RoleChecks.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { nameOf } from './names.ts'
import { PersonFields } from './PersonFields.tsx'

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
  roles: string[]
}
const emptyValues: Values = { displayname: '', email: '', emailVerified: false, username: '', roles: [] }

/** Creates a user. */
export function CreateUserPage() {
  const navigate = useNavigate()
  const { change, dialog } = usePreview()
  const [saved] = useState({ values: emptyValues })
  const record = useRecordForm<Values>({
    saved,
    labels: {
      displayname: 'Display name',
      email: 'Email',
      emailVerified: 'Email verified',
      username: 'Username',
      roles: 'Roles',
    },
    fieldByCode: { 'email-taken': 'email', 'username-taken': 'username', 'role-not-found': 'roles' },
    save: async ({ displayname, email, emailVerified, username, roles }) => {
      const body = { displayname, email: email.trim() || null, username: username.trim() || null, roles, emailVerified }
      const send = (query: object) => call(createUser, { query, body })
      // Without roles there is no effect to preview.
      const user =
        roles.length === 0
          ? await send({})
          : await change<User>(send, { title: 'Create this user?', action: 'Create user' })
      if (!user) throw new Cancelled()
      return user
    },
    onSaved: (response) => {
      const user = response as User
      void queryClient.invalidateQueries()
      reportSuccess(`${nameOf(user)} created`)
      void navigate({ to: '/admin/users/$userId', params: { userId: user.id } })
    },
  })
  const { register, control } = record.form
  return (
    <div className="max-w-[760px]">
      <div className="mb-6 flex flex-wrap items-end justify-between gap-3">
        <h1>Create user</h1>
        <Link to="/admin/users/invitations/create" className={buttonClass()}>
          <Mail size={16} />
          Invite by email instead
        </Link>
      </div>
      <RecordFormFrame record={record} recordLabel="this user" action="Create user" isNew>
        <Card title="Profile">
          <PersonFields register={register} errorOf={record.errorOf} />
        </Card>
        <Card title="Roles" description="Assigned directly. Users also inherit roles from groups.">
          <div className="px-5 pb-5">
            <Controller
              name="roles"
              control={control}
              render={({ field }) => (
                <RoleChecks
                  label="Roles"
                  picked={field.value}
                  onPick={field.onChange}
                  error={record.errorOf('roles')}
                />
              )}
            />
          </div>
        </Card>
      </RecordFormFrame>
      {dialog}
    </div>
  )
}
