import { type Entitlement, getEntitlement, putEntitlement } from '@passport/contract/entitlements'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'

type Fields = Pick<Entitlement, 'name' | 'description' | 'unit' | 'enabled'>

/** Saves fields of a definition as it was shown. Rejects with 412 if another user has changed it since. */
export async function saveEntitlement(entitlement: Entitlement, changes: Partial<Fields>): Promise<Entitlement> {
  const params = { entitlementId: entitlement.id }
  try {
    const body = { ...entitlement, ...changes }
    return await call(putEntitlement, { params, query: {}, body }, { ifMatch: `"${entitlement.version}"` })
  } finally {
    void queryClient.invalidateQueries({ queryKey: [getEntitlement.path] })
  }
}
