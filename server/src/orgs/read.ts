import type { Org } from '@passport/contract/orgs'
import type { Sql } from '../database/sql.ts'
import * as entra from '../entra/store.ts'
import * as domains from './domain-store.ts'
import type { OrgRow } from './store.ts'

/** Returns an organisation with its domains and, for an Entra organisation, its tenant. */
export async function readOrg(sql: Sql, org: OrgRow): Promise<Org> {
  const connection = org.kind === 'entra' ? await entra.find(sql, org.id) : undefined
  return { ...org, domains: await domains.list(sql, org.id), ...(connection && { entra: connection }) }
}
