import { Link } from '@tanstack/react-router'
import { Tabs } from '../ui/Tabs.tsx'

/** The heading and tabs of the account pages. */
export function AccountHead() {
  return (
    <>
      <h1>Account</h1>
      <Tabs label="Account">
        <Link to="/account/logins">Sign-in and sessions</Link>
        <Link to="/account/profile">Profile</Link>
        <Link to="/account/access">My access</Link>
        <Link to="/account/groups">Groups</Link>
        <Link to="/account/preferences">Preferences</Link>
        <Link to="/account/orgs">Organisations</Link>
      </Tabs>
    </>
  )
}
