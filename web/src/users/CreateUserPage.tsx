import { createUser, type User } from '@passport/contract/users'
import { Link, useNavigate } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { RoleChecks } from '../directory/RoleChecks.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { toast } from '../ui/toast.ts'
import { nameOf } from './names.ts'
import { PersonFields } from './PersonFields.tsx'

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
  roles: string[]
}
const nothing: Values = { displayname: '', email: '', emailVerified: false, username: '', roles: [] }

/** Whoever was asked about the roles decided against it. */
class CalledOff extends Error {}

/** A new person. */
export function CreateUserPage() {
  const navigate = useNavigate()
  const { change, dialog } = usePreview()
  const [saved] = useState({ values: nothing })
  const record = useRecordForm<Values>({
    saved,
    labels: {
      displayname: 'Display name',
      email: 'E-mail',
      emailVerified: 'Verified',
      username: 'Username',
      roles: 'Roles',
    },
    fieldOf: { 'email-taken': 'email', 'username-taken': 'username', 'role-not-found': 'roles' },
    save: async ({ displayname, email, emailVerified, username, roles }) => {
      const body = { displayname, email: email.trim() || null, username: username.trim() || null, roles, emailVerified }
      const send = (query: object) => call(createUser, { query, body })
      // Without roles nobody gains any: there is nothing to ask about.
      const user =
        roles.length === 0
          ? await send({})
          : await change<User>(send, { title: 'Create this person?', action: 'Create' })
      if (!user) throw new CalledOff()
      return user
    },
    onSaved: (answer) => {
      const user = answer as User
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: `${nameOf(user)} is created` })
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
          Invite by e-mail instead
        </Link>
      </div>
      <RecordFormFrame record={record} what="this person" action="Create" isAlwaysReady>
        <Card title="Person">
          <PersonFields registered={register} errorOf={record.errorOf} />
        </Card>
        <Card title="Roles" about="What they may do from the start. More can come by their groups.">
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
