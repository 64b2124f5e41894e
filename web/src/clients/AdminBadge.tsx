import type { Client } from '@passport/contract/clients'
import { includesAdminScope } from '@passport/contract/endpoint'
import { Badge } from '../ui/Badge.tsx'

/** Marks an application with a scope for administration. */
export function AdminBadge({ client: { scopes } }: { client: Client }) {
  if (!includesAdminScope(scopes)) return null
  return <Badge isRisky>{scopes.includes('passport.admin') ? 'Administers' : 'Reads everything'}</Badge>
}
