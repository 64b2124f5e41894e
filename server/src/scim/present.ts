import type { Provisioning, ScimToken } from '@passport/contract/scim'
import type { Sql } from '../database/sql.ts'
import { readCounts } from './group-store.ts'
import * as store from './store.ts'

/** The path below which an organisation serves SCIM. */
export const scimPath = '/passport/scim/v2'

/** Returns the provisioning of an organisation with a tenant. */
export async function readProvisioning(sql: Sql, publicUrl: string, orgId: string): Promise<Provisioning> {
  return {
    url: `${publicUrl}${scimPath}/${orgId}`,
    tokens: (await store.listTokens(sql, orgId)).map(toScimToken),
    counts: await readCounts(sql, orgId),
    lastRequestAt: await store.findLastRequestTime(sql, orgId),
  }
}

/** Converts a row to a token as administrators see it. */
export function toScimToken(row: store.TokenRow): ScimToken {
  const { id, name, start, createdAt, createdBy, creatorName, fromSetupLink, expiresAt, state } = row
  return {
    id,
    name,
    start,
    createdAt,
    createdBy: createdBy === null ? null : { id: createdBy, name: creatorName ?? createdBy },
    fromSetupLink,
    expiresAt,
    state,
    lastUse: row.lastUsedAt === null ? null : { at: row.lastUsedAt, ip: row.lastUsedIp ?? '' },
  }
}
