import type { EntitlementKind } from '@passport/contract/entitlements'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { readPreconditions } from '../http/conditional.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { create, replace } from './change.ts'
import { listEffective } from './effective.ts'
import { applySubscriptionGrants } from './grants.ts'
import { listTotals } from './ledger-store.ts'
import { closeGrant, createGrant, replaceGrant } from './manual-grants.ts'
import { findCounted } from './store.ts'

/* Answers for any moment, compared with a replay of the ledger and with a model of the changes, for random histories. */

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

const context = {
  caller: { id: null, roles: new Set(['Passport.Admin']), orgs: [] },
  preconditions: readPreconditions('PUT', {}),
}
const dayMs = 24 * 60 * 60 * 1000
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

const index = fc.nat(9)
const quantity = fc.integer({ min: 1, max: 50 })
/** Starts and ends are days from now, so that none passes during the test. */
const period = fc
  .tuple(fc.integer({ min: -5, max: 4 }), fc.option(fc.integer({ min: 1, max: 5 })))
  .map(([start, length]) => ({ start, end: length === null ? null : start + length }))
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grant' as const), index, quantity, period }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), index, quantity, period }) },
  fc.record({ kind: fc.constant('close' as const), index }),
  fc.record({ kind: fc.constant('enable' as const), index, isEnabled: fc.boolean() }),
  fc.record({ kind: fc.constant('org' as const), index, isDeleted: fc.boolean() }),
  fc.record({ kind: fc.constant('subscription' as const), index, wanted: fc.array(quantity, { maxLength: 2 }) }),
)

interface ModelGrant {
  entitlement: number
  org: number
  quantity: number
  startsAt: string
  endsAt: string | null
}
interface Definition {
  id: string
  key: string
  kind: EntitlementKind
}

let serial = 0
/** Applies changes to the service and to a model of it; `onChange` is called after each of them. */
async function applyChanges(
  changes: (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
  onChange: (world: World) => Promise<void>,
) {
  const { sql } = service
  const run = ++serial
  const orgs = [`org-${run}-a`, `org-${run}-b`]
  for (const id of orgs) await sql`insert into orgs (id, name, slug) values (${id}, ${id}, ${id})`
  const definitions: Definition[] = []
  for (const kind of ['quantity', 'flag'] as const) {
    const key = `run${run}.${kind}`
    const fields = { key, kind, name: key, description: '', unit: null, enabled: true, grants: [] }
    definitions.push({ id: await create(sql, fields, context), key, kind })
  }
  const grants: (ModelGrant & { id: string })[] = []
  const ofSubscription: ModelGrant[] = []
  const enabled = [true, true]
  const deleted = [false, false]
  const world: World = {
    orgs,
    definitions,
    valueAt: (definition, org, at) => {
      if (!enabled[definition] || deleted[org]) return 0
      const counted = [...grants, ...ofSubscription].filter(
        (grant) =>
          grant.entitlement === definition &&
          grant.org === org &&
          grant.startsAt <= at &&
          (grant.endsAt === null || at < grant.endsAt),
      )
      if (definitions[definition]?.kind === 'flag') return counted.length > 0 ? 1 : 0
      return counted.reduce((sum, { quantity }) => sum + quantity, 0)
    },
  }
  for (const step of changes) {
    const pick = step.index % 4
    const [entitlement, org] = [pick % 2, pick < 2 ? 0 : 1]
    const definition = definitions[entitlement] as Definition
    const orgId = orgs[org] as string
    const existing = grants[step.index % Math.max(1, grants.length)]
    if (step.kind === 'grant' && !deleted[org]) {
      const [startsAt, endsAt] = [inDays(step.period.start), step.period.end === null ? null : inDays(step.period.end)]
      const given = definition.kind === 'flag' ? null : step.quantity
      const grant = { orgId, quantity: given, startsAt, endsAt, note: '', source: 'manual' as const }
      const id = await createGrant(sql, definition.id, grant, context)
      grants.push({ id, entitlement, org, quantity: step.quantity, startsAt, endsAt })
    }
    if (existing && !deleted[existing.org]) {
      const { id: entitlementId, kind } = definitions[existing.entitlement] as Definition
      const ids = { entitlementId, grantId: existing.id }
      if (step.kind === 'change') {
        existing.quantity = step.quantity
        existing.startsAt = inDays(step.period.start)
        existing.endsAt = step.period.end === null ? null : inDays(step.period.end)
        const { startsAt, endsAt } = existing
        const fields = { quantity: kind === 'flag' ? null : step.quantity, startsAt, endsAt, note: '' }
        await replaceGrant(sql, ids, fields, context)
      }
      if (step.kind === 'close') {
        await closeGrant(sql, ids, context)
        const now = new Date().toISOString()
        if (existing.endsAt === null || existing.endsAt > now) existing.endsAt = now
      }
    }
    if (step.kind === 'enable') {
      enabled[entitlement] = step.isEnabled
      const fields = { name: definition.key, description: '', unit: null, enabled: step.isEnabled }
      await replace(sql, definition.id, fields, context)
    }
    if (step.kind === 'org') {
      deleted[org] = step.isDeleted
      await sql`update orgs set deleted_at = ${step.isDeleted ? inDays(0) : null} where id = ${orgId}`
    }
    if (step.kind === 'subscription') {
      const [startsAt, endsAt] = [new Date('2020-01-01'), null]
      const wanted = step.wanted.map((quantity) => ({ entitlementId: definition.id, quantity, startsAt, endsAt }))
      const item = { subscriptionId: `subscription-${run}`, orgId, wanted, at: new Date(), actor: null }
      await transaction(sql, (sql) => applySubscriptionGrants(sql, item))
      ofSubscription.length = 0
      for (const quantity of step.wanted)
        ofSubscription.push({ entitlement, org, quantity, startsAt: startsAt.toISOString(), endsAt })
    }
    await onChange(world)
  }
  return world
}

interface World {
  orgs: string[]
  definitions: Definition[]
  /** The value of a definition for an organisation at a moment to come, by the changes so far; 1 for a flag. */
  valueAt: (definition: number, org: number, at: string) => number
}

/** Returns the values that the service answers, by definition and organisation; numbers for flags too. */
async function readValues({ orgs, definitions }: World, at: string | undefined): Promise<number[][]> {
  const effective = await Promise.all(
    orgs.map((orgId) => listEffective(service.sql, { orgId }, at === undefined ? undefined : new Date(at))),
  )
  return definitions.map(({ key }) =>
    effective.map((entitlements) => Number(entitlements.find((one) => one.key === key)?.value ?? 0)),
  )
}

test('what counts now and later is what a model of the changes says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      async (changes, days) => {
        await applyChanges(changes, async (world) => {
          for (const at of [undefined, inDays(days - 0.5)]) {
            const moment = at ?? new Date().toISOString()
            const expected = world.definitions.map((_, definition) =>
              world.orgs.map((_, org) => world.valueAt(definition, org, moment)),
            )
            expect(await readValues(world, at)).toEqual(expected)
          }
        })
      },
    ),
    { numRuns: Math.ceil(numRuns / 10) },
  )
})

interface LedgerRow {
  entitlementId: string
  grantId: string | null
  orgId: string | null
  kind: EntitlementKind
  recordedAt: string
  quantity: number | null
  startsAt: string | null
  endsAt: string | null
  isActive: boolean
}

/** Replays the ledger until a moment; returns the value of an entitlement for each organisation that has it. */
function replay(ledger: LedgerRow[], entitlementId: string, at: string): Map<string, number> {
  const states = new Map<string | null, LedgerRow>()
  for (const row of ledger)
    if (row.entitlementId === entitlementId && row.recordedAt <= at) states.set(row.grantId, row)
  const values = new Map<string, number>()
  if (!states.get(null)?.isActive) return values
  for (const { grantId, orgId, kind, quantity, startsAt, endsAt, isActive } of states.values()) {
    if (grantId === null || orgId === null || !isActive || startsAt === null) continue
    if (startsAt > at || (endsAt !== null && at >= endsAt)) continue
    values.set(orgId, kind === 'flag' ? 1 : (values.get(orgId) ?? 0) + (quantity ?? 0))
  }
  return values
}

test('an answer for any moment equals a replay of the ledger', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 12 }), async (changes) => {
      const world = await applyChanges(changes, async () => {})
      const ids = world.definitions.map(({ id }) => id)
      const ledger = await service.sql<LedgerRow[]>`
        select entitlement_id, grant_id, org_id, kind, recorded_at, quantity, starts_at, ends_at, is_active
        from entitlement_ledger where entitlement_id = any(${ids}) order by sequence`
      const moments = ledger
        .flatMap(({ recordedAt, startsAt, endsAt }) => [recordedAt, startsAt, endsAt])
        .filter((moment) => moment !== null)
        .flatMap((moment) => [-1, 0].map((ms) => new Date(Date.parse(moment) + ms).toISOString()))
      const range = { from: inDays(-20), to: inDays(20), maxPoints: 400 }
      for (const { id, kind } of world.definitions) {
        const points = await listTotals(service.sql, { entitlementId: id, kind, ...range })
        for (const at of new Set(moments)) {
          const values = replay(ledger, id, at)
          const total = [...values.values()].reduce((sum, value) => sum + value, 0)
          const counted = await findCounted(service.sql, id, at)
          expect([counted?.orgCount, counted?.total]).toEqual([values.size, kind === 'flag' ? null : total])
          if (at >= range.from) expect(points.findLast((point) => point.at <= at)?.total).toBe(total)
        }
      }
      for (const at of [...new Set(moments)].slice(-6)) {
        const replayed = world.definitions.map(({ id }) => {
          const values = replay(ledger, id, at)
          return world.orgs.map((org) => values.get(org) ?? 0)
        })
        const inTrash = await service.sql`select id from orgs where id = any(${world.orgs}) and deleted_at is not null`
        if (inTrash.length === 0) expect(await readValues(world, at)).toEqual(replayed)
      }
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  )
})
