import { RoleFrame } from './RoleFrame.tsx'
import { RoleMembers } from './RoleMembers.tsx'

/** A role and its members. */
export function RolePage() {
  return <RoleFrame>{(role) => <RoleMembers role={role.name} />}</RoleFrame>
}
