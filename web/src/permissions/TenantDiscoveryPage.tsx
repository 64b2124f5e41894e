import { Empty } from '../ui/Empty.tsx'
import { ToolHeader } from './ToolHeader.tsx'

/** The entry page of the tools; Tenant Discovery itself is not implemented yet. */
export function TenantDiscoveryPage() {
  return (
    <div>
      <ToolHeader title="Tenant Discovery" description="Find out who owns a domain and how its users sign in." />
      <div className="card">
        <Empty kind="nothing yet" title="Coming soon">
          Tenant Discovery isn't available yet.
        </Empty>
      </div>
    </div>
  )
}
