import type { Cell, CopyTarget } from '../database/bulk-load.ts'
import * as activity from '../health/activity-store.ts'
import * as health from '../health/store.ts'
import { bucketOf, createBuckets } from '../http/activity.ts'
import * as traces from '../sign-in-traces/store.ts'
import type { RelativeTime } from './company.ts'
import { type Event, provider } from './company-simulation.ts'
import { hashNumber, toFraction, toHex } from './generated-directory.ts'

/* What the servers would have recorded in the thirty days: the responses of each hour, the steps of each sign-in, and the
   samples of the checks of the last day, as older ones are not kept. */

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The responses that follow a sign-in on average, their status, and their usual time in milliseconds. */
const responses: [route: string, code: string, status: number, perSignIn: number, usualMs: number][] = [
  ['GET /passport/apphelper/user', '200', 200, 9, 3],
  ['POST /connect/token', '200', 200, 1.6, 28],
  ['GET /connect/authorize', '303', 303, 1.2, 17],
  ['GET /connect/userinfo', '200', 200, 1.1, 4],
  ['GET /login', '302', 302, 1, 9],
  ['GET /login/callback/{idp}', '302', 302, 1, 46],
  ['GET /passport/preferences/{userId}', '200', 200, 1.4, 4],
  ['PUT /passport/preferences/{userId}/{key}', '204', 204, 0.5, 8],
  ['GET /passport/groups', '200', 200, 0.8, 7],
  ['POST /passport/permissions/check', '200', 200, 3.2, 2],
  ['GET /passport/users', '200', 200, 0.4, 12],
  ['GET /passport/apphelper/user', 'not-signed-in', 401, 0.12, 1.5],
  ['GET /passport/groups/{groupId}', 'group-not-found', 404, 0.03, 4],
  ['POST /connect/token', '400', 400, 0.04, 12],
  ['PUT /passport/preferences/{userId}/{key}', 'precondition-failed', 412, 0.01, 5],
  ['GET /passport/users', 'too-many-requests', 429, 0.008, 1],
]

/** The checks that every installation with demo users has, and their usual latency in milliseconds. */
const checks: [name: string, usualMs: number][] = [
  ['postgres', 1.2],
  ['jobs', 0],
  ['idp:local', 3.8],
  ['permissions', 0.6],
  ['media', 2.4],
]
/** A time at which PostgreSQL was slow, in minutes before the seed. */
const slowMinutes = { first: 9 * 60, count: 6, check: 'postgres', latencyMs: 320 }

/**
 * Returns the rows of activity, of sign-in traces and of health. `toMs` returns the milliseconds since 1970 of a time; `now`
 * is in the same unit.
 */
export const toUsageTables = (events: Event[], toMs: (time: RelativeTime) => number, now: number): Table[] => {
  const signIns = events
    .filter(({ action }) => action === 'signin.succeeded' || action === 'signin.failed')
    .map((event) => ({ ...event, ms: toMs(event.at) }))
  return [
    { name: 'hours of activity', target: activity.hourCopyTarget, rows: toActivityRows(signIns) },
    { name: 'traces of sign-ins', target: traces.copyTarget, rows: signIns.map(toTraceRow) },
    { name: 'samples of health checks', target: health.sampleCopyTarget, rows: toSampleRows(now) },
    { name: 'states of health checks', target: health.stateCopyTarget, rows: toStateRows(now) },
  ]
}

/** Returns a sample a minute of each check in the last day. That of the current minute is for the servers to add. */
function toSampleRows(now: number): Table['rows'] {
  const lastMinute = Math.floor(now / minuteMs) - 1
  const { first, count, check, latencyMs } = slowMinutes
  return checks.flatMap(([name, usualMs], number) =>
    Array.from({ length: dayMs / minuteMs }, (_, back) => {
      const isSlow = name === check && back <= first && back > first - count
      const share = toFraction(back * checks.length + number, 320)
      // One of fifty takes several times as long as usual.
      const usual = usualMs * (0.7 + 0.7 * share + (share > 0.98 ? 4 : 0))
      const latency = isSlow ? latencyMs * (0.9 + share) : usual
      const minute = new Date((lastMinute - back) * minuteMs).toISOString()
      return [name, minute, isSlow ? 'slow' : 'ok', Math.round(latency * 10) / 10]
    }),
  )
}

/** Returns the state of each check: up for the thirty days, or since it was slow. */
const toStateRows = (now: number): Table['rows'] =>
  checks.map(([name]) => {
    const sinceMs = name === slowMinutes.check ? (slowMinutes.first - slowMinutes.count) * minuteMs : 30 * dayMs
    return [name, 'ok', new Date(now - sinceMs).toISOString()]
  })

/** The rows of a table, in the order of its columns. */
export interface Table {
  name: string
  target: CopyTarget
  rows: Cell[][]
}

type SignInEvent = Event & { ms: number }

function toActivityRows(signIns: SignInEvent[]): Table['rows'] {
  const hours = Map.groupBy(signIns, ({ ms }) => Math.floor(ms / hourMs))
  return [...hours].flatMap(([hour, attempts], index) => {
    const at = new Date(hour * hourMs).toISOString()
    const outcomes = Map.groupBy(attempts, ({ reason }) => reason ?? 'succeeded')
    const signInRows = [...outcomes].map(([outcome, all]) => [at, 'sign-in', outcome, null, all.length, noBuckets])
    // Sessions outlive the sign-ins of the hour.
    const sessions =
      12 + Math.round([0, 1, 2, 3].reduce((sum, back) => sum + (hours.get(hour - back)?.length ?? 0), 0) * 0.7)
    const responseRows = responses.flatMap(([route, code, status, perSignIn, usualMs], number) => {
      const share = 0.85 + 0.3 * toFraction(index * responses.length + number, 310)
      const count = Math.floor(attempts.length * perSignIn * share + toFraction(index * 97 + number, 311))
      return count === 0 ? [] : [[at, route, code, status, count, toBuckets(count, usualMs)]]
    })
    return [...signInRows, [at, 'sessions', 'active', null, sessions, noBuckets], ...responseRows]
  })
}

const formatBuckets = (counts: number[]) => `{${counts.join()}}`
const noBuckets = formatBuckets(createBuckets())

/** Returns a histogram of which half is faster than usual, and a few responses are many times slower. */
function toBuckets(count: number, usualMs: number): string {
  const shares = [usualMs / 2, usualMs, usualMs * 2, usualMs * 4, usualMs * 12].map((ms, index) => {
    return [bucketOf(ms), [0.3, 0.4, 0.22, 0.07, 0.01][index] ?? 0] as const
  })
  const counts = createBuckets()
  let left = count
  for (const [bucket, share] of shares.toReversed()) {
    const part = share === 0.3 ? left : Math.min(left, Math.round(count * share))
    counts[bucket] = (counts[bucket] ?? 0) + part
    left -= part
  }
  return formatBuckets(counts)
}

/** The step that fails for a reason, and what it names. */
const failedSteps: Record<string, [step: string, detail: Record<string, string>]> = {
  cancelled: ['response-received', { error: 'access_denied' }],
  'attempt-expired': ['in-time', { limit: '15 minutes' }],
  'not-invited': ['account-admitted', {}],
  'account-disabled': ['account-admitted', {}],
  'answer-replayed': ['attempt-matched', {}],
  'provider-unreachable': ['code-redeemed', { message: 'fetch failed' }],
  'code-refused': ['code-redeemed', { error: 'invalid_grant' }],
}
const steps = [
  'response-received',
  'attempt-matched',
  'in-time',
  'code-redeemed',
  'account-found',
  'account-admitted',
  'session-started',
]

function toTraceRow({ number, ms, actor, reason, ip, userAgent }: SignInEvent): Table['rows'][number] {
  const [failed, detail] = failedSteps[reason ?? ''] ?? []
  const shown = failed ? steps.slice(0, steps.indexOf(failed) + 1) : steps.filter((step) => step !== 'account-admitted')
  const durationMs = 30 + Math.round(60 * toFraction(number, 312))
  const stored = shown.map((name, index) => ({
    name,
    ms: Math.round((durationMs * index) / shown.length),
    isFailed: name === failed,
    detail: name === failed ? (detail ?? {}) : {},
  }))
  return [
    toTraceId(number),
    new Date(ms).toISOString(),
    toTraceId(number),
    'callback',
    reason === undefined ? 'succeeded' : 'failed',
    reason ?? null,
    `{state:${toHex(hashNumber(number, 313), 8)}}`,
    provider.id,
    null,
    actor?.id ?? null,
    null,
    ip,
    userAgent,
    JSON.stringify(stored),
  ]
}

/** Returns the trace id of an event, which its support code begins. */
export const toTraceId = (number: number) =>
  [301, 302, 303, 304].map((purpose) => toHex(hashNumber(number, purpose), 8)).join('')
