import { listOwnEntitlements } from '@passport/contract/entitlement-grants'
import { listOwnSubscriptions } from '@passport/contract/marketplace'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Avatar } from '../ui/Avatar.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { query } from './api.ts'
import { useCurrentUser } from './page-user.ts'

/** The age in milliseconds from which it is checked again whether there is anything behind the last tabs. */
const staleTime = 60_000

/** The header of the account pages: the signed-in user and the tabs. */
export function AccountHead() {
  const user = useCurrentUser()
  const entitlements = useQuery({ ...query(listOwnEntitlements, { query: {} }), staleTime })
  const subscriptions = useQuery({ ...query(listOwnSubscriptions, {}), staleTime })
  const { sub = '', name, email, preferred_username: username } = user?.claims ?? {}
  const facts = [email, username && `@${username}`, user?.orgs.map((org) => org.name).join(', ')].filter(Boolean)
  const title = name ?? username ?? 'Account'
  return (
    <>
      <header className="flex min-h-15 items-center gap-4">
        <Avatar id={sub} name={title} picture={user?.claims.picture} size={60} />
        <div className="min-w-0">
          <h1 className="break-words">{title}</h1>
          <p className="mt-1 flex flex-wrap gap-x-4 text-ink2 [overflow-wrap:anywhere]">
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </p>
        </div>
      </header>
      <Tabs label="Account">
        <Link to="/account/logins">Sign-in and sessions</Link>
        <Link to="/account/profile">Profile</Link>
        <Link to="/account/access">My access</Link>
        <Link to="/account/groups">Groups</Link>
        <Link to="/account/orgs">Organisations</Link>
        <Link to="/account/preferences">Preferences</Link>
        <Link to="/account/tokens">Personal tokens</Link>
        {/* The last, because they appear once it is known that there are any. */}
        {entitlements.data?.length ? <Link to="/account/entitlements">Entitlements</Link> : null}
        {subscriptions.data?.length ? <Link to="/account/subscriptions">Subscriptions</Link> : null}
      </Tabs>
    </>
  )
}
