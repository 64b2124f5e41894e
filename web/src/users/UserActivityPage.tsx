import { ActivityTab } from '../audit/ActivityTab.tsx'
import { UserFrame } from './UserFrame.tsx'

/** The audit events of a user. */
export function UserActivityPage() {
  return <UserFrame>{({ id }) => <ActivityTab kind="user" id={id} />}</UserFrame>
}
