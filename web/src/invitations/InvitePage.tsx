import { createInvitation, type Invitation, listInvitations } from '@passport/contract/invitations'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { searchOrgs, searchRoles } from '../directory/find-records.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import { toast } from '../ui/toast.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { MailNotice } from './MailNotice.tsx'

interface Values {
  email: string
  displayname: string
  roles: Pickable[]
  org: Pickable[]
  orgRole: 'owner' | 'admin' | 'member'
}
const nothing: { values: Values } = { values: { email: '', displayname: '', roles: [], org: [], orgRole: 'member' } }

/** Invites someone by e-mail, with what they get once they accept. */
export function InvitePage() {
  const navigate = useNavigate()
  const [sent, setSent] = useState<{ email: string; link: string }>()
  const mail = useQuery(query(listInvitations, { query: { limit: 1 } }))
  const leave = () => void navigate({ to: '/admin/users/invitations' })
  const record = useRecordForm<Values>({
    saved: nothing,
    labels: { email: 'E-mail', displayname: 'Name', roles: 'Roles', org: 'Organisation', orgRole: 'As' },
    save: ({ email, displayname, roles, org, orgRole }) =>
      call(createInvitation, {
        body: {
          email,
          displayname: displayname.trim() || null,
          roles: roles.map(({ id }) => id),
          orgId: org.at(-1)?.id ?? null,
          orgRole,
        },
      }),
    fieldOf: { 'unknown-org': 'org', 'unknown-roles': 'roles' },
    onSaved: (answer) => {
      const { email, link } = answer as Invitation & { link?: string }
      void queryClient.invalidateQueries({ queryKey: [listInvitations.path] })
      if (link) return setSent({ email, link })
      void toast({ type: 'success', content: `The invitation is on its way to ${email}` })
      leave()
    },
  })
  const { register, watch, setValue } = record.form
  const [roles, org] = [watch('roles'), watch('org')]
  return (
    <div className="max-w-[760px]">
      <Link to="/admin/users/invitations" className="mb-3 inline-flex items-center gap-1 text-ink2 hover:text-ink">
        <ChevronLeft size={15} />
        Invitations
      </Link>
      <h1>Invite by e-mail</h1>
      {mail.data && !mail.data.isMailConfigured && <MailNotice />}
      <div className="mt-6">
        <RecordFormFrame record={record} what="this invitation" action="Send invitation" isAlwaysReady>
          <Card title="Who" about="An account is made for them now; nobody can come in by it but them.">
            <div className="grid gap-4 px-5 pb-5">
              <Field
                label="E-mail"
                type="email"
                autoComplete="off"
                error={record.errorOf('email')}
                {...register('email')}
              />
              <Field
                label="Name (optional)"
                autoComplete="off"
                hint="How the mail greets them. They can change it."
                error={record.errorOf('displayname')}
                {...register('displayname')}
              />
            </div>
          </Card>
          <Card title="What they get" about="Given when they accept, as far as you may still give it then.">
            <div className="grid gap-4 px-5 pb-5">
              <Picker
                label="Roles"
                placeholder="Name of a role"
                search={searchRoles}
                picked={roles}
                onPick={(picked) => setValue('roles', picked, { shouldDirty: true })}
                error={record.errorOf('roles')}
              />
              <div className="grid gap-4 sm:grid-cols-[1fr_180px]">
                <Picker
                  label="Organisation"
                  placeholder="Name of an organisation"
                  search={searchOrgs}
                  picked={org}
                  onPick={(picked) => setValue('org', picked.slice(-1), { shouldDirty: true })}
                  error={record.errorOf('org')}
                />
                <Select label="As" options={orgRoles} error={record.errorOf('orgRole')} {...register('orgRole')} />
              </div>
            </div>
          </Card>
        </RecordFormFrame>
      </div>
      <LinkDialog sent={sent} onClose={leave} />
    </div>
  )
}

const orgRoles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
  { value: 'owner', label: 'Owner' },
]
