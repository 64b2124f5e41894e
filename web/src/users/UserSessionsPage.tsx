import { UserFrame } from './UserFrame.tsx'
import { UserSessions } from './UserSessions.tsx'
import { UserTokens } from './UserTokens.tsx'

/** The sessions and the personal tokens of a user. */
export function UserSessionsPage() {
  return (
    <UserFrame>
      {(user) => (
        <>
          <UserSessions user={user} />
          <UserTokens userId={user.id} />
        </>
      )}
    </UserFrame>
  )
}
