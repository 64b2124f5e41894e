import { restorableDays, type TrashKind } from '@passport/contract/trash'
import * as consents from '../accounts/consent-store.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import * as clients from '../clients/store.ts'
import * as contents from '../content/store.ts'
import { sweepAll } from '../database/jobs.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entitlements from '../entitlements/store.ts'
import * as groups from '../groups/store.ts'
import { scopeNamesOf } from '../identity-apis/scopes.ts'
import * as identityApis from '../identity-apis/store.ts'
import * as directory from '../local-directory/store.ts'
import * as awsProducts from '../marketplace/product-store.ts'
import { listSubscribedProducts } from '../marketplace/subscription-store.ts'
import * as orgs from '../orgs/store.ts'
import { purgeRelationships } from '../permissions/write.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import * as users from '../users/store.ts'

const batchSize = 100

/**
 * Purges records that can no longer be restored, with their data and the relationships that name them. Audit events are
 * kept. Groups are purged before their organisations, and products before their entitlements, to which they refer.
 */
export async function purgeTrash(sql: Sql): Promise<void> {
  await sweepAll((limit) => purge(sql, 'group', limit, groups.purgeDeleted), batchSize)
  await sweepAll((limit) => purge(sql, 'org', limit, orgs.purgeDeleted), batchSize)
  await sweepAll((limit) => purge(sql, 'user', limit, purgeUsers), batchSize)
  await sweepAll((limit) => purge(sql, 'identity-api', limit, purgeIdentityApis), batchSize)
  await sweepAll((limit) => purge(sql, 'client', limit, clients.purgeDeleted), batchSize)
  await sweepAll((limit) => purge(sql, 'aws-product', limit, purgeAwsProducts), batchSize)
  await sweepAll((limit) => purge(sql, 'entitlement', limit, entitlements.purgeDeleted), batchSize)
  await sweepAll((limit) => purge(sql, 'content', limit, contents.purgeDeleted), batchSize)
}

type PurgeDeleted = (sql: Sql, olderThanDays: number, limit: number) => Promise<string[]>

function purge(sql: Sql, kind: TrashKind, limit: number, purgeDeleted: PurgeDeleted): Promise<number> {
  return transaction(sql, async (sql) => {
    const ids = await purgeDeleted(sql, restorableDays, limit)
    if (ids.length === 0) return 0
    const isNamed = kind === 'user' || kind === 'org' || kind === 'group'
    const before = { ids, ...(isNamed && (await purgeRelationships(sql, kind, ids))) }
    await audit.record(sql, { action: 'trash.purged', target: { kind: 'trash', id: kind }, before })
    return ids.length
  })
}

/** Also deletes the users' identities in the built-in directory. */
const purgeUsers: PurgeDeleted = async (sql, olderThanDays, limit) => {
  const ids = await users.lockDeleted(sql, olderThanDays, limit)
  await directory.remove(sql, await accounts.listSubjects(sql, ids, directory.identityIssuer))
  await users.erase(sql, ids)
  return ids
}

/** Keeps a product whose buyer arrived during its deletion. */
const purgeAwsProducts: PurgeDeleted = async (sql, olderThanDays, limit) => {
  const ids = await awsProducts.lockPurgeable(sql, olderThanDays, limit)
  const subscribed = await listSubscribedProducts(sql, ids)
  const purged = ids.filter((id) => !subscribed.has(id))
  await awsProducts.erase(sql, purged)
  return purged
}

/** Consents and personal tokens lose the scopes too: a later API with the same scopes must ask again. */
const purgeIdentityApis: PurgeDeleted = async (sql, olderThanDays, limit) => {
  const purged = await identityApis.purgeDeleted(sql, olderThanDays, limit)
  const scopes = purged.flatMap(scopeNamesOf)
  await consents.removeScopes(sql, scopes)
  await personalTokens.removeScopes(sql, scopes)
  return purged.map(({ id }) => id)
}
