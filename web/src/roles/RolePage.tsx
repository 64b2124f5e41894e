import { listRoleGroups } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { CardFoot, CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { Card } from '../ui/Card.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RoleFrame } from './RoleFrame.tsx'
import { RoleMembers } from './RoleMembers.tsx'

/** A role, its members and the groups that grant it. */
export function RolePage() {
  return (
    <RoleFrame rail={({ name }) => <RoleGroups role={name} />}>{(role) => <RoleMembers role={role.name} />}</RoleFrame>
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
