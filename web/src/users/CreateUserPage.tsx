import { createUser, type User } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import { type Control, Controller, useWatch } from 'react-hook-form'
import { call } from '../app/api.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { CreatePage, useSearchedName } from '../directory/CreatePage.tsx'
import { NewUserCard } from '../directory/NewUserCard.tsx'
import { RolePicker } from '../directory/RolePicker.tsx'
import { usePreview } from '../directory/use-preview.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { UserFields } from './UserFields.tsx'

interface Values {
  displayname: string
  email: string
  emailVerified: boolean
  username: string
  roles: string[]
}

const whatFollows: [string, string][] = [
  ['The account exists', 'As Invited, with these roles.'],
  ['You hand over a link', 'On the page of the user. Nothing is sent.'],
  ['The user sets a password', 'Or signs in with an identity provider, if invited.'],
]

/** Creates a user. */
export function CreateUserPage() {
  const { change, dialog } = usePreview()
  const name = useSearchedName()
  const named = { displayname: '', email: '', [name.includes('@') ? 'email' : 'displayname']: name }

  async function create({ displayname, email, emailVerified, username, roles }: Values): Promise<User> {
    const body = { displayname, email: email.trim() || null, username: username.trim() || null, roles, emailVerified }
    const send = (query: object) => call(createUser, { query, body })
    // Without roles there is no effect to preview.
    if (roles.length === 0) return send({})
    const user = await change<User>(send, { title: 'Create this user?', action: 'Create user' })
    if (!user) throw new Cancelled()
    return user
  }

  return (
    <>
      <CreatePage<Values, User>
        kind="user"
        list={{ to: '/admin/users', label: 'Users' }}
        initialValues={{ ...named, emailVerified: false, username: '', roles: [] }}
        labels={{
          displayname: 'Display name',
          email: 'Email',
          emailVerified: 'Email verified',
          username: 'Username',
          roles: 'Roles',
        }}
        fieldByCode={{ 'email-taken': 'email', 'username-taken': 'username', 'role-not-found': 'roles' }}
        create={create}
        pageOf={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })}
        rail={(control) => (
          <div className="grid gap-4">
            <UserPreview control={control} />
            <WhatFollows steps={whatFollows} />
          </div>
        )}
        actions={
          <Link to="/admin/users/invitations/create" className={buttonClass()}>
            <Mail size={16} />
            Invite by email instead
          </Link>
        }
      >
        {({ form, errorOf }) => (
          <>
            <Card title="Profile">
              <UserFields register={form.register} errorOf={errorOf} />
            </Card>
            <Card title="Access" description="Optional. Users also inherit roles from groups.">
              <div className="px-4 pb-[18px] sm:px-[18px]">
                <Controller
                  name="roles"
                  control={form.control}
                  render={({ field }) => (
                    <RolePicker label="Roles" picked={field.value} onPick={field.onChange} error={errorOf('roles')} />
                  )}
                />
              </div>
            </Card>
          </>
        )}
      </CreatePage>
      {dialog}
    </>
  )
}

function UserPreview({ control }: { control: Control<Values> }) {
  const { displayname = '', email = '', username = '', roles = [] } = useWatch({ control })
  return <NewUserCard name={displayname} email={email} username={username} roles={roles} />
}
