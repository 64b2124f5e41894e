import { listInvitations } from '@passport/contract/invitations'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { TabCount, Tabs } from '../ui/Tabs.tsx'

/** Returns the number of open invitations; undefined while it loads. */
export const useOpenInvitations = (): number | undefined =>
  useQuery({ ...query(listInvitations, { query: { status: 'open', limit: 1 } }), staleTime: 60_000 }).data?.total

const exactMatch = { exact: true, includeSearch: false }

/** The views of the users page: the users, and the invitations with the number of open ones. */
export function UserViews() {
  const open = useOpenInvitations() ?? 0
  return (
    <div className="[&>nav]:mt-3 [&>nav]:mb-0">
      <Tabs label="Views">
        <Link to="/admin/users" activeOptions={exactMatch}>
          Users
        </Link>
        <Link to="/admin/users/invitations" activeOptions={exactMatch}>
          Invitations
          {open > 0 && <TabCount>{open}</TabCount>}
        </Link>
      </Tabs>
    </div>
  )
}
