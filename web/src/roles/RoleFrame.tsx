import { deleteRole, getRole, type Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { call, query } from '../app/api.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { formatTotal } from '../directory/total.ts'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Badge } from '../ui/Badge.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { RoleForm } from './RoleForm.tsx'

const back = { to: '/admin/roles', label: 'Roles' } as const

interface RoleFrameProps {
  /** Cards below the details. */
  rail?: (role: Role) => ReactNode
  children: (role: Role) => ReactNode
}

/** The page of a role around one of its tabs. */
export function RoleFrame({ rail, children }: RoleFrameProps) {
  const { name = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const role = useQuery(query(getRole, { params: { name } }))
  return (
    <RecordQuery query={role} kind="role" back={back}>
      {(role) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="role" size={60} />}
          name={role.name}
          status={
            role.builtIn && (
              <Badge>
                <Lock size={12} aria-hidden="true" />
                Built-in
              </Badge>
            )
          }
          facts={[role.description]}
          actions={<Actions role={role} />}
          tabs={buildTabs(role)}
          details={[
            // An estimate is too long for its tab.
            role.memberCountIsExact === false && ['Members', formatTotal(role.memberCount, false)],
            ['Kind', role.builtIn ? "Built-in, can't be deleted" : 'Custom'],
            ['Created', <RelativeTime key="created" at={role.createdAt} />],
            ['Updated', <RelativeTime key="changed" at={role.updatedAt} />],
          ]}
          rail={rail?.(role)}
        >
          {isEditing && <RoleForm key={role.name} role={role} onClose={close} />}
          {children(role)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

const buildTabs = ({ name, memberCount, memberCountIsExact }: Role) => [
  {
    to: '/admin/roles/$name' as const,
    params: { name },
    label: 'Members',
    count: memberCountIsExact === false ? undefined : memberCount,
  },
  { to: '/admin/roles/$name/activity' as const, params: { name }, label: 'Activity' },
]

function Actions({ role }: { role: Role }) {
  const { name, builtIn } = role
  const copyConfig = useCopyAsConfig(builtIn ? undefined : { role })
  const { deleteItem, dialog } = useDeleteRecord()
  const remove = deleteItem({
    kind: 'role',
    name,
    consequence: 'Removes it from everyone, including through groups.',
    list: '/admin/roles',
    remove: (query) => call(deleteRole, { params: { name }, query }),
  })
  return (
    <>
      <EditButton />
      <PageMenu isOfRecord items={builtIn ? [] : [remove]} copyConfig={copyConfig} />
      {dialog}
    </>
  )
}
