import { Link } from '@tanstack/react-router'
import { Tabs } from '../ui/Tabs.tsx'

/** The two views of the audit log: all events, and the sign-ins among them. */
export function AuditTabs() {
  return (
    <Tabs label="Audit">
      <Link to="/admin/audit" activeOptions={{ exact: true, includeSearch: false }}>
        Events
      </Link>
      <Link to="/admin/audit/signins" activeOptions={{ exact: true, includeSearch: false }}>
        Sign-ins
      </Link>
    </Tabs>
  )
}
