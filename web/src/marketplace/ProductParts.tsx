import { Link } from '@tanstack/react-router'
import { Status } from '../ui/Status.tsx'

/** Whether a product takes new subscriptions. */
export function EnabledStatus({ isEnabled }: { isEnabled: boolean }) {
  return isEnabled ? <Status tone="ok">Active</Status> : <Status tone="off">Disabled</Status>
}

/** The key of an entitlement, with a link to it. */
export function EntitlementTag({ entitlement: { id, key } }: { entitlement: { id: string; key: string } }) {
  return (
    <Link
      to="/admin/entitlements/$entitlementId/edit"
      params={{ entitlementId: id }}
      className="inline-block max-w-full truncate rounded-[5px] border border-foil/50 bg-foil/10 px-1.5 py-px align-middle font-mono text-[12px] text-foil-text hover:underline"
    >
      {key}
    </Link>
  )
}
