import type { Client } from '@passport/contract/clients'
import { Status } from '../ui/Status.tsx'

export function ClientStatus({ client: { enabled } }: { client: Client }) {
  return enabled ? <Status tone="ok">Active</Status> : <Status tone="off">Disabled</Status>
}
