import { domainOfEmail } from '@passport/contract/domain-name'
import type { Sql } from '../database/sql.ts'
import * as domains from './domain-store.ts'

/**
 * Returns the organisation that has verified the domain of an address: only it, or a proof by email, gives the address to
 * an account. Undefined if no organisation has verified it.
 */
export async function findAddressOwner(sql: Sql, email: string): Promise<string | undefined> {
  const domain = domainOfEmail(email)
  if (domain === undefined) return undefined
  const [owner] = await domains.listOwners(sql, [domain])
  return owner?.orgId
}
