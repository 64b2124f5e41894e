import type { GrantSource } from '@passport/contract/entitlements'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

export interface NewGrantRow {
  id: string
  entitlementId: string
  orgId: string
  quantity: number | null
  startsAt: string
  endsAt: string | null
  note: string
}

/** Adds grants of administrators; a trigger records them in the ledger. */
export async function addManual(sql: Sql, grants: NewGrantRow[], changedBy: string | null): Promise<void> {
  await sql`
    insert into entitlement_grants (id, entitlement_id, org_id, quantity, starts_at, ends_at, source, note, changed_by)
    select g."id", g."entitlementId", g."orgId", g."quantity", g."startsAt", g."endsAt", 'manual', g."note",
      ${changedBy}
    from jsonb_to_recordset(${sql.json(grants as never)}) as g ("id" text, "entitlementId" text, "orgId" text,
      "quantity" integer, "startsAt" timestamptz, "endsAt" timestamptz, "note" text)`
}

/** Returns the names of those organisations that exist, by id, and locks them against deletion until the transaction ends. */
export async function lockOrgs(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from entitled_orgs where id = any(${ids}) order by id for share`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** What a grant gives, and when. */
interface GrantState {
  quantity: number | null
  startsAt: string
  endsAt: string | null
}

/** The changeable fields of a grant. */
export interface GrantFields extends GrantState {
  note: string
}

interface LockedGrant extends GrantFields {
  orgId: string
  source: GrantSource
  version: number
}

/** Finds a grant of an organisation that is not deleted, and locks it until the transaction ends. */
export async function lock(sql: Sql, entitlementId: string, id: string): Promise<LockedGrant | undefined> {
  const [row] = await sql<LockedGrant[]>`
    select org_id, quantity, starts_at, ends_at, source, note, version from entitlement_grants
    where id = ${id} and entitlement_id = ${entitlementId} and org_id in (select id from entitled_orgs)
    for no key update`
  return row
}

/** Replaces the changeable fields of a grant; a trigger records the change in the ledger. */
export async function replace(sql: Sql, id: string, fields: GrantFields, changedBy: string | null): Promise<void> {
  await sql`
    update entitlement_grants set ${sql({ ...fields, changedBy })}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** The grants that a subscription gives from now on; none without an organisation. */
export interface SubscriptionGrants {
  subscriptionId: string
  orgId: string | null
  wanted: { entitlementId: string; quantity: number | null; startsAt: Date; endsAt: Date | null }[]
  /** When grants end that are not wanted. */
  at: Date
}

/** A grant that `applySubscriptions` added, changed or closed. */
export interface AppliedGrant {
  action: 'granted' | 'grant-changed' | 'grant-closed'
  id: string
  entitlementId: string
  orgId: string
  org: string | null
  subscriptionId: string
  before: GrantState | null
  after: GrantState
}

/**
 * Makes the open grants of subscriptions equal to those wanted, in one statement, and returns what changed. Of several
 * grants of one entitlement, the first is compared with the first wanted one by start.
 */
export async function applySubscriptions(
  sql: Sql,
  items: SubscriptionGrants[],
  changedBy: string | null,
): Promise<AppliedGrant[]> {
  const wanted = items.flatMap(({ subscriptionId, wanted }) =>
    wanted.map((grant) => ({ subscriptionId, id: uuid(), ...grant })),
  )
  const subscriptions = items.map(({ subscriptionId, orgId, at }) => ({ subscriptionId, orgId, at }))
  return sql<AppliedGrant[]>`
    with subscriptions as (
      select * from jsonb_to_recordset(${sql.json(subscriptions as never)})
        as s ("subscriptionId" text, "orgId" text, "at" timestamptz)
    ),
    wanted as (
      select w."id" as id, s."subscriptionId" as subscription_id, s."orgId" as org_id, e.id as entitlement_id,
        case e.kind when 'quantity' then w."quantity" end as quantity, w."startsAt" as starts_at, w."endsAt" as ends_at,
        row_number() over (
          partition by s."subscriptionId", e.id order by w."startsAt", w."endsAt", w."quantity") as place
      from jsonb_to_recordset(${sql.json(wanted as never)}) as w ("subscriptionId" text, "id" text, "entitlementId" text,
        "quantity" integer, "startsAt" timestamptz, "endsAt" timestamptz)
      join subscriptions s on s."subscriptionId" = w."subscriptionId"
      join entitlement_kinds e on e.id = w."entitlementId"
      where s."orgId" is not null and (w."endsAt" is null or w."endsAt" > s."at")
    ),
    existing as (
      select g.*, s."at", row_number() over (
          partition by g.subscription_id, g.org_id, g.entitlement_id order by g.starts_at, g.ends_at, g.quantity) as place
      from entitlement_grants g join subscriptions s on s."subscriptionId" = g.subscription_id
      where g.ends_at is null or g.ends_at > s."at"
    ),
    compared as (
      select e.id, w.id is null as is_closed, e.quantity as old_quantity, e.starts_at as old_starts_at, e.ends_at as old_ends_at,
        case when w.id is null then e.quantity else w.quantity end as quantity,
        case when w.id is null then e.starts_at else w.starts_at end as starts_at,
        case when w.id is null then e."at" else w.ends_at end as ends_at
      from existing e left join wanted w
        on w.subscription_id = e.subscription_id and w.org_id = e.org_id and w.entitlement_id = e.entitlement_id
          and w.place = e.place
    ),
    changed as (
      update entitlement_grants g
      set quantity = c.quantity, starts_at = c.starts_at, ends_at = c.ends_at, changed_by = ${changedBy}, updated_at = now(),
        version = g.version + 1
      from compared c
      where g.id = c.id and (c.quantity, c.starts_at, c.ends_at) is distinct from (c.old_quantity, c.old_starts_at, c.old_ends_at)
      returning case when c.is_closed then 'grant-closed' else 'grant-changed' end as action, g.*,
        jsonb_build_object('quantity', c.old_quantity, 'startsAt', format_instant(c.old_starts_at),
          'endsAt', format_instant(c.old_ends_at)) as before
    ),
    added as (
      insert into entitlement_grants (id, entitlement_id, org_id, quantity, starts_at, ends_at, source, subscription_id, changed_by)
      select w.id, w.entitlement_id, w.org_id, w.quantity, w.starts_at, w.ends_at, 'aws', w.subscription_id, ${changedBy}
      from wanted w
      where not exists (
        select from existing e
        where e.subscription_id = w.subscription_id and e.org_id = w.org_id and e.entitlement_id = w.entitlement_id
          and e.place = w.place)
      returning 'granted' as action, *, null::jsonb as before
    )
    select a.action, a.id, a.entitlement_id, a.org_id, o.name as org, a.subscription_id, a.before,
      jsonb_build_object('quantity', a.quantity, 'startsAt', format_instant(a.starts_at), 'endsAt', format_instant(a.ends_at))
        as after
    from (
      select action, id, entitlement_id, org_id, subscription_id, before, quantity, starts_at, ends_at from changed
      union all
      select action, id, entitlement_id, org_id, subscription_id, before, quantity, starts_at, ends_at from added
    ) a left join entitled_orgs o on o.id = a.org_id`
}
