import type { EffectiveEntitlement } from '@passport/contract/entitlement-grants'
import type { EntitlementKind } from '@passport/contract/entitlements'
import type { Sql } from '../database/sql.ts'
import * as store from './effective-store.ts'

/** The most keys of the claim `ent`; more make every token too large. */
const maxClaimKeys = 50

/** JSON has no infinity, so a quantity without a limit is true, like a flag. */
const toValue = (kind: EntitlementKind, value: number) => (kind === 'flag' || !Number.isFinite(value) ? true : value)

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
      orgs: orgs.map(({ orgId, orgName, value, endsAt, isEnding }) => ({
        id: orgId,
        name: orgName,
        value: toValue(kind, value),
        endsAt,
        ...(isEnding && { ending: true as const }),
      })),
    }
  })
}

/** The claims of the scope `entitlements`. */
interface EntitlementClaims {
  /** What the user has of each key: true for a flag or a quantity without a limit, and otherwise the sum of their organisations. */
  ent?: Record<string, number | boolean>
  /** There are too many keys for a token: call `GET /passport/entitlements/me`. */
  ent_truncated?: true
}

/** Returns the claims of a user, with keys in order. Runs one statement. */
export async function entClaim(sql: Sql, userId: string): Promise<EntitlementClaims> {
  const claims = await store.listClaims(sql, userId, maxClaimKeys + 1)
  if (claims.length > maxClaimKeys) return { ent_truncated: true }
  return { ent: Object.fromEntries(claims.map(({ key, kind, value }) => [key, toValue(kind, value)])) }
}
