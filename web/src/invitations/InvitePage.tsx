import { createInvitation, type Invitation, listInvitations } from '@passport/contract/invitations'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportSuccess, reportWithView } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { CreateFrame, useSearchedName } from '../directory/CreatePage.tsx'
import { searchOrgs, searchRoles } from '../directory/find-records.ts'
import { LinkDialog } from '../directory/LinkDialog.tsx'
import { NewUserCard } from '../directory/NewUserCard.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { ChoiceCard } from '../ui/ChoiceCard.tsx'
import { Field } from '../ui/Field.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { MailNotice } from './MailNotice.tsx'

interface Values {
  email: string
  displayname: string
  roles: Pickable[]
  org: Pickable[]
  orgRole: 'owner' | 'admin' | 'member'
  delivery: 'email' | 'link'
}
const emptyValues: Values = { email: '', displayname: '', roles: [], org: [], orgRole: 'member', delivery: 'email' }

/** Invites a user by email, with the roles and organisation granted on acceptance. */
export function InvitePage() {
  const navigate = useNavigate()
  const name = useSearchedName()
  const [created, setCreated] = useState<{ name: string; link: string }>()
  const mail = useQuery(query(listInvitations, { query: { limit: 1 } }))
  const hasMail = mail.data?.isMailConfigured ?? true
  const returnToList = () => void navigate({ to: '/admin/users/invitations' })
  const record = useRecordForm<Values>({
    saved: { values: { ...emptyValues, [name.includes('@') ? 'email' : 'displayname']: name } },
    labels: {
      email: 'Email',
      displayname: 'Name',
      roles: 'Roles',
      org: 'Organisation',
      orgRole: 'Organisation role',
      delivery: 'Delivery',
    },
    save: ({ email, displayname, roles, org, orgRole, delivery }) =>
      call(createInvitation, {
        body: {
          email,
          displayname: displayname.trim() || null,
          roles: roles.map(({ id }) => id),
          orgId: org.at(-1)?.id ?? null,
          orgRole,
          ...(hasMail && { delivery }),
        },
      }),
    fieldByCode: { 'unknown-org': 'org', 'unknown-roles': 'roles' },
    onSaved: (response) => {
      const { email, link, userId } = response as Invitation & { link?: string }
      void queryClient.invalidateQueries({ queryKey: [listInvitations.path] })
      if (link) return setCreated({ name: email, link })
      const text = `Invitation sent to ${email}`
      if (userId) reportWithView(text, () => void navigate({ to: '/admin/users/$userId', params: { userId } }))
      else reportSuccess(text)
      returnToList()
    },
  })
  const { register, watch, setValue } = record.form
  const [roles, org] = [watch('roles'), watch('org')]
  const isEmailed = hasMail && watch('delivery') === 'email'
  // The notice would move the form, and the title depends on it.
  if (mail.isPending) return <Skeleton label="Loading the form" rows={6} />
  return (
    <>
      <CreateFrame
        title="Invite a user"
        action={isEmailed ? 'Send invitation' : 'Create link'}
        list={{ to: '/admin/users/invitations', label: 'Invitations' }}
        record={record}
        notice={!hasMail && <MailNotice />}
        rail={
          <div className="grid gap-4">
            <NewUserCard
              name={watch('displayname')}
              email={watch('email')}
              roles={roles.map(({ name }) => name)}
              org={org[0] && { name: org[0].name, role: watch('orgRole') }}
            />
            <WhatFollows steps={isEmailed ? afterEmail : afterLink} />
          </div>
        }
      >
        <Card title="Recipient">
          <div className="grid items-start gap-4 px-4 pb-[18px] sm:grid-cols-2 sm:px-[18px]">
            <Field
              label="Email"
              type="email"
              autoComplete="off"
              error={record.errorOf('email')}
              {...register('email')}
            />
            <Field
              label="Name"
              autoComplete="off"
              placeholder="Optional"
              error={record.errorOf('displayname')}
              {...register('displayname')}
            />
          </div>
        </Card>
        {hasMail && (
          <Card title="Delivery">
            <div className="grid gap-3 px-4 pb-[18px] sm:grid-cols-2 sm:px-[18px]">
              <ChoiceCard
                label="Send by email"
                hint="The link proves the address."
                value="email"
                {...register('delivery')}
              />
              <ChoiceCard
                label="I hand it over myself"
                hint="The link is shown once. The address stays unverified."
                value="link"
                {...register('delivery')}
              />
            </div>
          </Card>
        )}
        <Card title="Access" description="Optional, granted on acceptance.">
          <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
            <Picker
              label="Roles"
              placeholder="Role name"
              search={searchRoles}
              picked={roles}
              onPick={(picked) => setValue('roles', picked, { shouldDirty: true })}
              error={record.errorOf('roles')}
            />
            <div className="grid gap-4 sm:grid-cols-[1fr_180px]">
              <Picker
                label="Organisation"
                placeholder="Organisation name"
                search={searchOrgs}
                picked={org}
                onPick={(picked) => setValue('org', picked.slice(-1), { shouldDirty: true })}
                error={record.errorOf('org')}
              />
              <Select
                label="Organisation role"
                options={orgRoles}
                error={record.errorOf('orgRole')}
                {...register('orgRole')}
              />
            </div>
          </div>
        </Card>
      </CreateFrame>
      <LinkDialog created={created} onClose={returnToList} />
    </>
  )
}

const afterEmail: [string, string][] = [
  ['An email is sent', 'With a link for this recipient only.'],
  ['The recipient sets a password', 'Or signs in. With another email, you confirm it first.'],
  ['Access begins', 'Until then, nobody can use the account.'],
]
const afterLink: [string, string][] = [
  ['You hand over the link', 'It is shown once.'],
  ['The user sets a password', 'In the first browser that opens the link, within 24 hours.'],
  ['Access begins', 'A user who has an account signs in instead.'],
]

const orgRoles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
  { value: 'owner', label: 'Owner' },
]
