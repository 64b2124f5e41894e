import type { IdentityApi } from '@passport/contract/identity-apis'
import { Status } from '../ui/Status.tsx'

export function ApiStatus({ api: { enabled } }: { api: IdentityApi }) {
  return enabled ? <Status tone="ok">Active</Status> : <Status tone="off">Disabled</Status>
}
