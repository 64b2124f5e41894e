import { getRole, putRole, type Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { call, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { ActivityTab } from '../audit/ActivityTab.tsx'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Moment } from '../ui/Moment.tsx'
import { DeleteRole } from './DeleteRole.tsx'
import { DescriptionField } from './DescriptionField.tsx'
import { MembersCard } from './MembersCard.tsx'
import { memberCountOf } from './member-count.ts'

const back = { to: '/admin/roles', label: 'Roles' } as const

/** One role: what it is, who has it and why. */
export function RolePage() {
  return (
    <RoleFrame>
      {(role) => (
        <>
          <Settings role={role} />
          <MembersCard role={role.name} />
          {!role.builtIn && <DeleteRole role={role} />}
        </>
      )}
    </RoleFrame>
  )
}

/** What was done to a role. */
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
                Built in: it cannot be deleted
              </span>
            )
          }
          actions={!role.builtIn && <CopyAsConfig role={role} />}
          tabs={tabsOf(role.name)}
          glance={[
            ['Members', memberCountOf(role)],
            ['Kind', role.builtIn ? 'Built in' : 'Custom'],
            ['Created', <Moment key="created" at={role.createdAt} />],
            ['Changed', <Moment key="changed" at={role.updatedAt} />],
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

const savedOf = ({ description, version }: Role) => ({ values: { description }, version })

function Settings({ role }: { role: Role }) {
  const params = { name: role.name }
  const record = useRecordForm({
    saved: savedOf(role),
    labels: { description: 'Description' },
    save: (body, options) => call(putRole, { params, body }, options),
    reload: async () => savedOf(await call(getRole, { params })),
    onSaved: () => void queryClient.invalidateQueries({ queryKey: [getRole.path] }),
  })
  return (
    <RecordFormFrame record={record} what="this role">
      <Card title="About">
        <div className="px-5 pb-5">
          <DescriptionField record={record} />
        </div>
      </Card>
    </RecordFormFrame>
  )
}
