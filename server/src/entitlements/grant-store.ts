import type { Sql } from '../database/sql.ts'

export interface NewGrantRow {
  id: string
  entitlementId: string
  orgId: string
  quantity: number | null
  /** Null for now. */
  startsAt: string | null
  endsAt: string | null
  note: string
}

/** Adds grants of administrators; a trigger records them in the ledger. */
export async function addManual(sql: Sql, grants: NewGrantRow[], changedBy: string | null): Promise<void> {
  await sql`
    insert into entitlement_grants (id, entitlement_id, org_id, quantity, starts_at, ends_at, source, note, changed_by)
    select g."id", g."entitlementId", g."orgId", g."quantity", coalesce(g."startsAt", now()), g."endsAt", 'manual', g."note",
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
