import type { EffectiveEntitlement } from '@passport/contract/entitlement-grants'
import type { EntitlementKind } from '@passport/contract/entitlements'
import type { Sql } from '../database/sql.ts'
import * as store from './effective-store.ts'

const toValue = (kind: EntitlementKind, value: number) => (kind === 'flag' ? true : value)

/**
 * Lists what a user has through their organisations, or what an organisation has, by key: the flags of any grant and the
 * sums of quantities, of the grants that count at a moment. Runs one statement.
 */
export async function listEffective(
  sql: Sql,
  holder: { userId: string } | { orgId: string },
  at?: Date,
): Promise<EffectiveEntitlement[]> {
  const rows = await store.listEffective(sql, holder, at?.toISOString())
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((orgs) => {
    const [first] = orgs
    if (!first) return []
    const { key, name, kind, unit } = first
    return {
      key,
      name,
      kind,
      unit,
      value: toValue(
        kind,
        orgs.reduce((sum, { value }) => sum + value, 0),
      ),
      orgs: orgs.map(({ orgId, orgName, value, endsAt }) => ({
        id: orgId,
        name: orgName,
        value: toValue(kind, value),
        endsAt,
      })),
    }
  })
}
