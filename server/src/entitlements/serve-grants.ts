import * as api from '@passport/contract/entitlement-grants'
import type { Routes, Services } from '../feature.ts'
import { decodeCursor, isCount, offsetOf, toCursorPage, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { listEffective } from './effective.ts'
import * as grants from './grant-list-store.ts'
import * as ledger from './ledger-store.ts'
import { closeGrant, createGrant, replaceGrant } from './manual-grants.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

const yearMs = 365 * 24 * 60 * 60 * 1000

/** Grants, their ledger, and what organisations and users have by them. */
export function serveGrants({ serve }: Pick<Routes, 'serve'>, { sql }: Pick<Services, 'sql'>): void {
  serve(api.listGrants, async ({ params, query }) => {
    const { entitlementId } = await requireExisting(params.entitlementId)
    const { at, status, source, query: word } = query
    const filter = { at, entitlementId, status, source, word }
    const range = { after: decodeCursor(query.after), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([grants.list(sql, { ...filter, ...range }), grants.count(sql, filter)])
    const path = api.listGrants.path.replace('{entitlementId}', entitlementId)
    const page = toPage({ path, query, rows, count, cursorOf: ({ orgSortName, id }) => [orgSortName, id] })
    return { ...page, items: page.items.map(toGrant) }
  })

  serve(api.createGrant, async ({ params: { entitlementId }, body, query, caller, visit }) => {
    const id = await createGrant(sql, entitlementId, body, { ...query, caller, visit })
    const grant = await find({ entitlementId, grantId: id })
    const path = `${api.createGrant.path.replace('{entitlementId}', entitlementId)}/${id}`
    return new Created(grant, path, etagHeader(grant))
  })

  // The status changes with time and without a new version, so that no response is 304.
  serve(api.getGrant, async ({ params }) => {
    const grant = await find(params)
    return new WithETag(grant, etagHeader(grant))
  })

  serve(api.putGrant, async ({ params, body, query, ...context }) => {
    await replaceGrant(sql, params, body, { ...query, ...context })
    const grant = await find(params)
    return new WithETag(grant, etagHeader(grant))
  })

  serve(api.closeGrant, ({ params, query, ...context }) => closeGrant(sql, params, { ...query, ...context }))

  serve(api.listLedger, async ({ params, query }) => {
    const { entitlementId } = await requireExisting(params.entitlementId)
    const { orgId, limit } = query
    const [before] = decodeCursor(query.after, isCount) ?? []
    const rows = await ledger.list(sql, { entitlementId, orgId, before, limit: limit + 1 })
    const path = api.listLedger.path.replace('{entitlementId}', entitlementId)
    const page = toCursorPage({ path, query, rows, cursorOf: ({ sequence }) => [String(sequence), ''] })
    return { ...page, items: page.items.map(toLedgerEntry) }
  })

  serve(api.listTotals, async ({ params, query }) => {
    const { entitlementId, kind } = await requireExisting(params.entitlementId)
    const to = query.to ?? new Date().toISOString()
    const from = query.from ?? new Date(Date.parse(to) - yearMs).toISOString()
    return ledger.listTotals(sql, { entitlementId, kind, from, to, maxPoints: api.maxTotalPoints })
  })

  serve(api.listOrgEntitlements, async ({ params: { orgId }, query: { at } }) => {
    if (!(await orgs.findName(sql, orgId))) throw orgNotFound()
    const rows = await grants.list(sql, { at, orgId, after: undefined, offset: 0, limit: maxOrgGrants })
    const [entitlements, effective] = [
      await store.listByIds(sql, [...new Set(rows.map(({ entitlementId }) => entitlementId))]),
      await listEffective(sql, { orgId }, at === undefined ? undefined : new Date(at)),
    ]
    const values = new Map(effective.map(({ key, value }) => [key, value]))
    return entitlements.map(({ id, key, name, kind, unit, enabled }) => ({
      id,
      key,
      name,
      kind,
      unit,
      enabled,
      value: values.get(key) ?? (kind === 'flag' ? false : 0),
      grants: rows.filter(({ entitlementId }) => entitlementId === id).map(toGrant),
    }))
  })

  serve(api.listOwnEntitlements, ({ caller, query: { at } }) =>
    listEffective(sql, { userId: caller.id }, at === undefined ? undefined : new Date(at)),
  )

  async function requireExisting(id: string) {
    const row = await store.find(sql, id)
    if (!row) throw problems.entitlementNotFound()
    return { entitlementId: id, kind: row.kind }
  }

  async function find({ entitlementId, grantId }: { entitlementId: string; grantId: string }): Promise<api.Grant> {
    const row = await grants.find(sql, entitlementId, grantId)
    if (!row) throw problems.grantNotFound()
    return toGrant(row)
  }
}

/** The most grants of an organisation that one response lists. */
const maxOrgGrants = 1000

const toGrant = ({ orgId, orgName, orgSortName: _, isEnding, ...row }: grants.GrantRow): api.Grant => ({
  ...row,
  org: { id: orgId, name: orgName },
  ending: isEnding,
})

const toLedgerEntry = ({
  actorId,
  actorName,
  orgId,
  orgName,
  isActive,
  ...row
}: ledger.LedgerRow): api.LedgerEntry => ({
  ...row,
  actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
  org: orgId === null ? null : { id: orgId, name: orgName ?? orgId },
  counts: isActive,
})

const etagHeader = ({ version }: api.Grant) => ({ etag: String(version) })
