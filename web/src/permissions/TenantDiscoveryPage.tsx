import { Empty } from '../ui/Empty.tsx'
import { ToolHead } from './ToolHead.tsx'

/** The way into the tools; what belongs here itself is still to come. */
export function TenantDiscoveryPage() {
  return (
    <div className="max-w-[1080px]">
      <ToolHead title="Tenant Discovery" about="Find out who runs a domain, and how its people sign in." />
      <div className="rounded-box border border-line bg-card">
        <Empty kind="nothing yet" title="Tenant Discovery is not built yet">
          It comes with a later version. The other tools are there.
        </Empty>
      </div>
    </div>
  )
}
