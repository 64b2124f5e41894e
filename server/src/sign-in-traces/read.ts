import { explainReason } from '@passport/contract/sign-in-reasons'
import type { SignInTrace, SignInTraceSummary, TracePart } from '@passport/contract/sign-in-traces'
import { digitsOf, supportCodeOf } from '@passport/contract/support-code'
import { findRecords } from '../audit/store.ts'
import type { Services } from '../feature.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import * as store from './store.ts'

/** The parts of a sign-in: more come only from a client that repeats its requests. */
const maxParts = 60
/** A sign-in is found in at most this many rounds: state, authorization request, code. */
const maxRounds = 4

type TraceServices = Pick<Services, 'sql' | 'clients'>

/** Returns the whole sign-in to which the request of a support code or a trace id belongs; undefined without one. */
export async function readTrace(services: TraceServices, code: string): Promise<SignInTrace | undefined> {
  const { sql } = services
  const isTraceId = code.length === 32
  const row = await (isTraceId ? store.findByTraceId(sql, code) : store.findBySupportCode(sql, digitsOf(code)))
  if (!row) return undefined
  const parts = await listParts(services, row)
  // What one request knows, such as the user, is true of the whole sign-in.
  const known = (name: 'provider' | 'clientId' | 'userId' | 'domain') =>
    row[name] ?? parts.findLast((part) => part[name] !== null)?.[name] ?? null
  const whole = {
    ...row,
    provider: known('provider'),
    clientId: known('clientId'),
    userId: known('userId'),
    domain: known('domain'),
  }
  const [summary] = await summarise(services, [whole])
  if (!summary) return undefined
  const { id: _, kind: __, ...shared } = summary
  return {
    ...shared,
    ip: row.ip,
    userAgent: row.userAgent === '' ? null : describeUserAgent(row.userAgent),
    explanation: (row.reason !== null && explainReason(row.reason)) || null,
    parts: parts.map(toPart),
  }
}

/** Returns the requests that share a key with a request, or with one of those. */
async function listParts({ sql }: TraceServices, row: store.TraceRow): Promise<store.TraceRow[]> {
  let parts = [row]
  const searched = new Set<string>()
  for (let round = 0; round < maxRounds; round++) {
    const keys = [...new Set(parts.flatMap(({ keys }) => keys))]
    if (keys.every((key) => searched.has(key))) break
    for (const key of keys) searched.add(key)
    const found = await store.listByKeys(sql, keys, maxParts)
    parts = found.some(({ id }) => id === row.id) ? found : [...found, row]
  }
  return parts
}

function toPart({ id, kind, at, traceId, supportCode, result, reason, steps }: store.TraceRow): TracePart {
  const startedAt = Date.parse(at)
  return {
    id,
    kind,
    at,
    traceId,
    supportCode: supportCodeOf(supportCode),
    result,
    reason,
    steps: steps.map(({ ms, ...step }) => ({ ...step, at: new Date(startedAt + ms).toISOString() })),
  }
}

/** Converts rows to summaries, with the names of users and applications. */
export async function summarise(
  { sql, clients }: TraceServices,
  rows: store.TraceRow[],
): Promise<SignInTraceSummary[]> {
  const users = await findRecords(sql, [...new Set(rows.flatMap(({ userId }) => userId ?? []))])
  return Promise.all(
    rows.map(async ({ id, kind, at, supportCode, result, reason, provider, clientId, userId, domain }) => ({
      id,
      kind,
      supportCode: supportCodeOf(supportCode),
      at,
      result,
      reason,
      provider,
      client: clientId === null ? null : { id: clientId, name: (await clients.find(clientId))?.name ?? clientId },
      user: userId === null ? null : { id: userId, name: users.get(userId)?.name ?? userId },
      domain,
    })),
  )
}
