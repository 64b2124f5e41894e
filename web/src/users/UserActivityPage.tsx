import { ActivityTab } from '../audit/ActivityTab.tsx'
import { UserFrame } from './UserFrame.tsx'

/** What was done to a person. */
export function UserActivityPage() {
  return <UserFrame>{({ id }) => <ActivityTab kind="user" id={id} />}</UserFrame>
}
