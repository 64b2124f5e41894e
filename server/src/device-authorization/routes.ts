import * as api from '@passport/contract/device-authorization'
import { describeUserAgent } from '../accounts/user-agent.ts'
import * as audit from '../audit/store.ts'
import * as consents from '../consents/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { failureCounter } from '../http/rate-limit.ts'
import { distanceBetween, networkOf, type Visit } from '../http/visit.ts'
import { audienceOf } from '../provider/access-token.ts'
import { approveDevice, refuseDevice } from '../provider/device-flow.ts'
import { toldScopes } from '../provider/scopes.ts'
import type { Room, Services } from '../room.ts'
import { codeExpired, narrowedScopes, noSuchCode, openRequest } from './decide.ts'
import { hearDeviceNews, streamDeviceStatus } from './events.ts'
import * as store from './store.ts'
import { normalizeUserCode, showUserCode } from './user-code.ts'

const tenMinutes = 10 * 60

/** The person's end of the device flow: who asks, and yes or no. The device's end is the provider's. */
export const deviceAuthorization: Room = ({ serve, mount }, services) => {
  const { sql, log } = services
  const news = hearDeviceNews(sql, log)
  // Before the look-up, whose pattern takes this path as well.
  mount('/passport/deviceauthorization/events', (incoming, outgoing) =>
    streamDeviceStatus(services, news, incoming, outgoing),
  )
  const lookUp = createLookUp(sql)

  serve(api.getDeviceAuthorization, async ({ params, caller, visit }) => {
    const { userCode, request } = await lookUp(params.code, caller, visit)
    await store.view(sql, userCode)
    return told(services, userCode, openRequest(request, caller.id), visit)
  })

  serve(api.decideDeviceAuthorization, async ({ body, caller, visit }) => {
    requireRecentAuthentication(caller)
    const { userCode } = await lookUp(body.code, caller, visit)
    const status: 'approved' | 'denied' = body.action === 'approve' ? 'approved' : 'denied'
    const outcome = await transaction(sql, (sql) => decide(sql, { userCode, caller, visit, ...body }))
    if (outcome === 'denied') await refuseDevice(await services.issuer.provider(), userCode)
    if (typeof outcome === 'object') await approve(services, userCode, caller, outcome.scopes)
    if (typeof outcome === 'number') throw wrongNumber(outcome)
    if (outcome === 'denied' && status === 'approved')
      throw new Problem(409, 'device-code-denied', 'The number was wrong three times: the device was kept out.')
    return { userCode: showUserCode(userCode), status }
  })
}

interface Wish {
  userCode: string
  caller: Caller
  visit: Visit
  action: 'approve' | 'deny'
  match?: string | undefined
  scopes?: string[] | undefined
}

/**
 * Keeps what the person decided, once: `known` where they had decided so before, how many tries are left where the
 * number was wrong, `denied` also where it was wrong for the last time, and the scopes where the device may come in.
 */
async function decide(sql: Sql, wish: Wish): Promise<'known' | 'denied' | number | { scopes: string[] }> {
  const { userCode, caller, action, match } = wish
  await store.lock(sql, userCode)
  const found = await store.find(sql, userCode)
  const isSame = found?.decision === (action === 'approve' ? 'approved' : 'denied') && found.decidedBy === caller.id
  if (isSame) return 'known'
  const request = openRequest(found, caller.id)
  const isWrong = action === 'approve' && request.matchNumber !== null && request.matchNumber !== match
  const left = isWrong ? await store.countWrongNumber(sql, userCode) : undefined
  if (left) return left
  if (action === 'deny' || left === 0) {
    await store.decide(sql, userCode, 'denied', caller.id)
    await record(sql, 'device.denied', wish, request, [])
    return 'denied'
  }
  const scopes = narrowedScopes(request.scopes, wish.scopes)
  await store.decide(sql, userCode, 'approved', caller.id)
  await consents.allow(sql, caller.id, request.clientId, scopes)
  await record(sql, 'device.approved', wish, request, scopes)
  return { scopes }
}

function requireRecentAuthentication({ authTime }: Caller) {
  const ageHours = (Date.now() - Date.parse(authTime)) / 3_600_000
  if (ageHours > api.maxAuthenticationAgeHours)
    throw new Problem(401, 'reauthentication-required', 'Sign in again before you let a device in.')
}

const wrongNumber = (attemptsLeft: number) =>
  new Problem(400, 'match-wrong', 'That is not the number that the device shows.', {
    errors: [
      {
        field: 'body.match',
        code: 'match-wrong',
        message: `${attemptsLeft} more ${attemptsLeft === 1 ? 'try' : 'tries'}`,
      },
    ],
    members: { attemptsLeft },
  })

/** Finds the request of a code; who guesses is stopped after 5 wrong ones, or 20 from one network, in ten minutes. */
function createLookUp(sql: Sql) {
  const ofPerson = failureCounter(sql, 'device-code', 5, tenMinutes)
  const ofNetwork = failureCounter(sql, 'device-code-network', 20, tenMinutes)
  return async (typed: string, caller: Caller, { ip }: Visit) => {
    const network = networkOf(ip)
    const seconds = Math.max(await ofPerson.begin(caller.id), await ofNetwork.begin(network))
    if (seconds > 0)
      throw new Problem(
        429,
        'too-many-requests',
        `Too many wrong codes. Try again in ${Math.ceil(seconds / 60)} min.`,
        {
          headers: { 'Retry-After': String(seconds) },
        },
      )
    const userCode = normalizeUserCode(typed)
    const request = userCode === undefined ? undefined : await store.find(sql, userCode)
    if (userCode === undefined || !request) throw noSuchCode()
    await Promise.all([ofPerson.takeBack(caller.id), ofNetwork.takeBack(network)])
    return { userCode, request }
  }
}

async function told({ clients }: Services, userCode: string, request: store.DeviceRequest, { ip }: Visit) {
  const { browser, os } = describeUserAgent(request.userAgent)
  return {
    userCode: showUserCode(userCode),
    status: 'pending' as const,
    client: {
      id: request.clientId,
      name: (await clients.find(request.clientId))?.name ?? request.clientId,
      logoUrl: null,
    },
    scopes: toldScopes(request.scopes),
    requestedAt: request.requestedAt,
    expiresAt: request.expiresAt,
    device: {
      description: os ? `${browser} on ${os}` : browser,
      ipAddress: networkOf(request.ip),
      location: null,
      sameNetwork: networkOf(request.ip) === networkOf(ip),
      distance: distanceBetween(request.ip, ip),
      callerNetwork: networkOf(ip),
    },
    match: {
      required: request.matchNumber !== null,
      kind: 'number' as const,
      digits: 2,
      attemptsLeft: request.matchAttemptsLeft,
    },
  }
}

async function approve({ issuer, config }: Services, userCode: string, caller: Caller, scopes: string[]) {
  const isApproved = await approveDevice(await issuer.provider(), {
    userCode,
    userId: caller.id,
    authTime: caller.authTime,
    amr: caller.session?.amr ?? [],
    scopes,
    resource: audienceOf(config.publicUrl),
  })
  if (!isApproved) throw codeExpired()
}

/** With where both ends are: the visit is that of the person. */
const record = (
  sql: Sql,
  action: 'device.approved' | 'device.denied',
  { caller, visit }: Wish,
  { clientId, ip, userAgent, requestedAt }: store.DeviceRequest,
  scopes: string[],
) =>
  audit.record(sql, {
    action,
    actorId: caller.id,
    target: { kind: 'user', id: caller.id },
    after: { client: clientId, scopes: scopes.join(' '), device: { ip, userAgent, requestedAt } },
    visit,
  })
