import { listInvitations } from '@passport/contract/invitations'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../app/api.ts'
import { TabCount, Tabs } from '../ui/Tabs.tsx'

const openInvitations = query(listInvitations, { query: { status: 'open', limit: 1 } })
const exactMatch = { exact: true, includeSearch: false }

/** The views of the users page: the users, and the invitations with the number of open ones. */
export function UserViews() {
  const { data } = useQuery({ ...openInvitations, staleTime: 60_000 })
  return (
    <div className="[&>nav]:mt-3 [&>nav]:mb-0">
      <Tabs label="Views">
        <Link to="/admin/users" activeOptions={exactMatch}>
          Users
        </Link>
        <Link to="/admin/users/invitations" activeOptions={exactMatch}>
          Invitations
          {data && data.total > 0 && <TabCount>{data.total}</TabCount>}
        </Link>
      </Tabs>
    </div>
  )
}
