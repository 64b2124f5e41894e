import { UserFrame } from './UserFrame.tsx'
import { UserSessions } from './UserSessions.tsx'

/** The sessions of a user. */
export function UserSessionsPage() {
  return <UserFrame>{(user) => <UserSessions user={user} />}</UserFrame>
}
