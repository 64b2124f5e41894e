import type { EntitlementKind } from '@passport/contract/entitlements'
import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** Selects the grants that count at a moment; now by default. */
const countedAt = (sql: Sql, at: string | undefined): Fragment =>
  at === undefined
    ? sql`(select * from valid_grants where starts_at <= now() and (ends_at is null or ends_at > now()))`
    : sql`grants_counted_at(${at})`

/** Aggregates grants of one entitlement: 1 for a flag, infinity for a quantity without a limit, such as a metered one. */
const totalValue = (sql: Sql): Fragment =>
  sql`case when min(g.kind) = 'flag' then 1 else sum(coalesce(g.quantity, 'infinity'::double precision)) end`

/** What a user has of an entitlement through one organisation. */
export interface EffectiveRow {
  id: string
  key: string
  name: string
  kind: EntitlementKind
  unit: string | null
  enabled: boolean
  orgId: string
  orgName: string
  /** The quantity, infinity if it has no limit, or 1 for a flag. */
  value: number
  endsAt: string | null
  isEnding: boolean
}

/**
 * Lists what counts at a moment, by key and organisation: for a user through their organisations, or for one
 * organisation. Runs one statement.
 */
export async function listEffective(
  sql: Sql,
  holder: { userId: string } | { orgId: string },
  at: string | undefined,
): Promise<EffectiveRow[]> {
  const holders =
    'userId' in holder
      ? sql`select org_id, org_name, org_sort_name from entitled_users where user_id = ${holder.userId}`
      : sql`select org_id, org_name, org_sort_name from holding_orgs where org_id = ${holder.orgId}`
  return sql<EffectiveRow[]>`
    select e.id, g.key, e.name, g.kind, e.unit, e.enabled, h.org_id, h.org_name,
      ${totalValue(sql)} as value,
      case
        when g.kind = 'quantity' then min(g.ends_at)
        when bool_and(g.ends_at is not null) then max(g.ends_at)
      end as ends_at,
      bool_or(s.subscription_id is not null) as is_ending
    from (${holders}) h join ${countedAt(sql, at)} g on g.org_id = h.org_id
    join entitlement_names e on e.id = g.entitlement_id
    left join ending_subscriptions s on s.subscription_id = g.subscription_id
    group by e.id, g.key, e.name, g.kind, e.unit, e.enabled, h.org_id, h.org_name, h.org_sort_name
    order by g.key collate "C", h.org_sort_name, h.org_id`
}

/** Returns what a user has now of each entitlement, by key; at most `limit`. */
export async function listClaims(
  sql: Sql,
  userId: string,
  limit: number,
): Promise<{ key: string; kind: EntitlementKind; value: number }[]> {
  return sql<{ key: string; kind: EntitlementKind; value: number }[]>`
    select g.key, g.kind, ${totalValue(sql)} as value
    from entitled_users u join ${countedAt(sql, undefined)} g on g.org_id = u.org_id
    where u.user_id = ${userId}
    group by g.key, g.kind order by g.key collate "C" limit ${limit}`
}

/** The value of an entitlement for an organisation at a moment, as in `EffectiveRow`. */
export interface ValueRow {
  moment: string
  orgId: string
  orgName: string
  people: number
  value: number
}

/**
 * Lists the values of an entitlement at moments to come, by the grants as they are now in this transaction: of one
 * organisation, or of all that have it.
 */
export async function listValues(
  sql: Sql,
  entitlementId: string,
  moments: string[],
  orgId: string | null,
): Promise<ValueRow[]> {
  return sql<ValueRow[]>`
    select m.moment, g.org_id, g.org_name, g.member_count as people,
      ${totalValue(sql)} as value
    from unnest(${moments}::timestamptz[]) as m (moment)
    join valid_grants g on g.entitlement_id = ${entitlementId} and (${orgId}::text is null or g.org_id = ${orgId})
      and g.starts_at <= m.moment and (g.ends_at is null or g.ends_at > m.moment)
    group by m.moment, g.org_id, g.org_name, g.org_sort_name, g.member_count
    order by m.moment, g.org_sort_name, g.org_id`
}
