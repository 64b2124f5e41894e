import { listRoleGroups, type Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { CardFoot, CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { formatTotal } from '../directory/total.ts'
import { Card } from '../ui/Card.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RoleFrame } from './RoleFrame.tsx'
import { RoleMembers } from './RoleMembers.tsx'

/** A role, its members, their sources, and the groups that grant it. */
export function RolePage() {
  const rail = (role: Role) => (
    <>
      {role.memberCount > 0 && <MemberSources role={role} />}
      <RoleGroups role={role.name} />
    </>
  )
  return <RoleFrame rail={rail}>{(role) => <RoleMembers role={role.name} />}</RoleFrame>
}

/** The members with a direct grant and those with the role only through groups, as a bar. */
function MemberSources({ role: { memberCount, directMemberCount, memberCountIsExact } }: { role: Role }) {
  const parts = [
    { label: 'direct', count: directMemberCount, className: 'bg-data' },
    { label: 'only through groups', count: memberCount - directMemberCount, className: 'bg-edge' },
  ]
  return (
    <Card title="Member sources">
      <div className="px-4 pb-[18px] sm:px-[18px]">
        <div className="flex h-2.5 gap-0.5 overflow-hidden rounded-full" aria-hidden="true">
          {parts.map(
            ({ label, count, className }) =>
              count > 0 && <span key={label} className={className} style={{ flexGrow: count }} />,
          )}
        </div>
        <ul className="mt-2.5 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-ink2">
          {parts.map(({ label, count, className }) => (
            <li key={label} className="inline-flex items-center gap-1.5">
              <i className={`size-2.5 rounded-[3px] ${className}`} aria-hidden="true" />
              {formatTotal(count, memberCountIsExact)} {label}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  )
}

/** Keeps the rail no longer than a short list of members. */
const maxRows = 8

function RoleGroups({ role }: { role: string }) {
  const { data: groups } = useQuery(query(listRoleGroups, { params: { name: role } }))
  if (!groups) return null
  return (
    <Card title="Groups with this role">
      {groups.length === 0 && <CardText>None. All members have it directly.</CardText>}
      <CardRows>
        {groups.slice(0, maxRows).map(({ id, name }) => (
          <CardRow
            key={id}
            picture={<ObjectIcon kind="group" />}
            name={
              <Link to="/admin/groups/$groupId" params={{ groupId: id }} className="hover:underline">
                {name}
              </Link>
            }
          />
        ))}
      </CardRows>
      {groups.length > maxRows && <CardFoot>and {groups.length - maxRows} more</CardFoot>}
    </Card>
  )
}
