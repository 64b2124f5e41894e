import { createUser, type User } from '@passport/contract/users'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Controller } from 'react-hook-form'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { Field } from '../ui/Field.tsx'
import { Picker } from '../ui/Picker.tsx'
import { toast } from '../ui/toast.ts'
import { nameOf } from './names.ts'
import { roleOf, searchRoles } from './role-names.ts'

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
      <h1 className="mb-6">Create user</h1>
      <RecordFormFrame record={record} what="this person" action="Create" isAlwaysReady>
        <Card title="Person">
          <div className="grid gap-4 px-5 pb-5">
            <Field
              label="Display name"
              autoComplete="off"
              error={record.errorOf('displayname')}
              {...register('displayname')}
            />
            <Field
              label="E-mail"
              type="email"
              autoComplete="off"
              error={record.errorOf('email')}
              {...register('email')}
            />
            <Check {...register('emailVerified')}>The e-mail is known to be theirs</Check>
            <Field
              label="Username"
              hint="Optional. 3 to 32 small letters, digits, dots, hyphens and underscores."
              autoComplete="off"
              spellCheck={false}
              error={record.errorOf('username')}
              {...register('username')}
            />
          </div>
        </Card>
        <Card title="Roles" about="What they may do from the start. More can come by their groups.">
          <div className="px-5 pb-5">
            <Controller
              name="roles"
              control={control}
              render={({ field }) => (
                <Picker
                  label="Roles"
                  placeholder="Name of a role"
                  search={searchRoles}
                  picked={field.value.map(roleOf)}
                  onPick={(picked) => field.onChange(picked.map(({ id }) => id))}
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
