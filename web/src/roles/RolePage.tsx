import { deleteRole, getRole, putRole, type Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { call, query } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { ActivityTab } from '../audit/ActivityTab.tsx'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import { DeleteRecord } from '../directory/DeleteRecord.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { formatCount } from '../directory/total.ts'
import { Card } from '../ui/Card.tsx'
import { DangerZone } from '../ui/DangerZone.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { DescriptionField } from './DescriptionField.tsx'
import { MembersCard } from './MembersCard.tsx'

const back = { to: '/admin/roles', label: 'Roles' } as const

/** A role: its settings and its members. */
export function RolePage() {
  return (
    <RoleFrame>
      {(role) => (
        <>
          <Settings role={role} />
          <MembersCard role={role.name} />
          {!role.builtIn && (
            <DangerZone>
              <DeleteRole role={role} />
            </DangerZone>
          )}
        </>
      )}
    </RoleFrame>
  )
}

/** The audit events of a role. */
export function RoleActivityPage() {
  return <RoleFrame>{({ name }) => <ActivityTab kind="role" id={name} />}</RoleFrame>
}

function RoleFrame({ children }: { children: (role: Role) => ReactNode }) {
  const { name = '' } = useParams({ strict: false })
  const role = useQuery(query(getRole, { params: { name } }))
  return (
    <RecordQuery query={role} kind="role" back={back}>
      {(role) => (
        <RecordPage
          back={back}
          name={role.name}
          id={role.name}
          status={
            role.builtIn && (
              <span className="inline-flex items-center gap-1.5 text-ink2">
                <Lock size={14} aria-hidden="true" />
                Built-in role: it can't be deleted
              </span>
            )
          }
          actions={!role.builtIn && <CopyAsConfig role={role} />}
          tabs={tabsOf(role.name)}
          summary={[
            ['Members', formatCount(role.memberCount, role.memberCountIsExact, ['member', 'members'])],
            ['Kind', role.builtIn ? 'Built-in' : 'Custom'],
            ['Created', <RelativeTime key="created" at={role.createdAt} />],
            ['Updated', <RelativeTime key="changed" at={role.updatedAt} />],
          ]}
        >
          {children(role)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

const tabsOf = (name: string) => [
  { to: '/admin/roles/$name' as const, params: { name }, label: 'Role' },
  { to: '/admin/roles/$name/activity' as const, params: { name }, label: 'Activity' },
]

const toSaved = ({ description, version }: Role) => ({ values: { description }, version })

function Settings({ role }: { role: Role }) {
  const params = { name: role.name }
  const record = useRecordForm({
    saved: toSaved(role),
    labels: { description: 'Description' },
    save: (body, options) => call(putRole, { params, body }, options),
    reload: async () => toSaved(await call(getRole, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: [getRole.path] })
      reportSuccess('Saved')
    },
  })
  return (
    <RecordFormFrame record={record} recordLabel="this role">
      <Card title="Details">
        <div className="px-5 pb-5">
          <DescriptionField record={record} />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function DeleteRole({ role: { name } }: { role: Role }) {
  return (
    <DeleteRecord
      kind="role"
      name={name}
      consequence="Removes it from everyone, including through groups."
      list="/admin/roles"
      remove={(query) => call(deleteRole, { params: { name }, query })}
    />
  )
}
