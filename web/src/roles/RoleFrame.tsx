import { getRole, type Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { formatCount } from '../directory/total.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

const back = { to: '/admin/roles', label: 'Roles' } as const

/** The page of a role around one of its tabs. */
export function RoleFrame({ children }: { children: (role: Role) => ReactNode }) {
  const { name = '' } = useParams({ strict: false })
  const role = useQuery(query(getRole, { params: { name } }))
  return (
    <RecordQuery query={role} kind="role" back={back}>
      {(role) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="role" size={60} />}
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
          details={[
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
