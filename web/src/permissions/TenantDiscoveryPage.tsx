import { Empty } from '../ui/Empty.tsx'
import { ToolHeader } from './ToolHeader.tsx'

/** The entry page of the tools; Tenant Discovery itself is not implemented yet. */
export function TenantDiscoveryPage() {
  return (
    <div className="max-w-[1080px]">
      <ToolHeader title="Tenant Discovery" description="Find out who owns a domain and how its users sign in." />
      <div className="rounded-box border border-line bg-card">
        <Empty kind="nothing yet" title="Coming soon">
          Tenant Discovery isn't available yet.
        </Empty>
      </div>
    </div>
  )
}
