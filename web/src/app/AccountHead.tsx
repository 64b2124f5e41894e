import { Link } from '@tanstack/react-router'
import { Tabs } from '../ui/Tabs.tsx'

/** The head of every page of one's own account. */
export function AccountHead() {
  return (
    <>
      <h1>Account</h1>
      <Tabs label="Account">
        <Link to="/account/logins">Logins and sessions</Link>
        <Link to="/account/profile">Profile</Link>
        <Link to="/account/access">My access</Link>
        <Link to="/account/groups">Groups</Link>
        <Link to="/account/preferences">Preferences</Link>
        <Link to="/account/orgs">Organisations</Link>
      </Tabs>
    </>
  )
}
