import * as api from '@passport/contract/device-authorization'
import { describeUserAgent } from '../accounts/user-agent.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import { failureCounter } from '../http/rate-limit.ts'
import { distanceBetween, networkOf, type Visit } from '../http/visit.ts'
import { audienceOf } from '../provider/access-token.ts'
import { approveDevice, refuseDevice } from '../provider/device-flow.ts'
import { toldScopes } from '../provider/scopes.ts'
import type { Room, Services } from '../room.ts'
import type { Approval } from './approval.ts'
import { confirm, wrongPin } from './confirm.ts'
import { codeExpired, decide, keptOut, noSuchCode, openRequest, wrongNumber } from './decide.ts'
import { hearDeviceNews, streamDeviceStatus } from './events.ts'
import * as store from './store.ts'
import { normalizeUserCode, showUserCode } from './user-code.ts'

const tenMinutes = 10 * 60

/** The person's end of the device flow: who asks, and yes or no. The device's end is the provider's. */
export const deviceAuthorization: Room = ({ serve, mount }, services) => {
  const { sql, log, vault } = services
  const news = hearDeviceNews(sql, log)
  // Before the look-up, whose pattern takes this path as well.
  mount(
    '/passport/deviceauthorization/events',
    (incoming, outgoing) => streamDeviceStatus(services, news, incoming, outgoing),
    { isRead: true },
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
    const wish = { ...body, userCode, caller, visit }
    const decided = await transaction(sql, (sql) => decide(sql, vault, wish))
    if (decided.kind === 'wrong number') throw wrongNumber(decided.left)
    if (decided.kind === 'denied') await refuseDevice(await services.issuer.provider(), userCode)
    else if (decided.approval) await approve(services, decided.approval)
    if (decided.kind === 'denied' && body.action === 'approve') throw keptOut('number')
    const pin = decided.kind === 'approved' ? decided.pin : null
    return { userCode: showUserCode(userCode), status: decided.kind, pin }
  })

  serve(api.confirmDeviceAuthorization, async ({ body, visit }) => {
    const confirmed = await transaction(sql, (sql) => confirm(sql, vault, { ...body, visit }))
    if (confirmed.kind === 'wrong pin') throw wrongPin(confirmed.left)
    if (confirmed.kind === 'confirmed') return approve(services, confirmed.approval)
    await refuseDevice(await services.issuer.provider(), confirmed.approval.userCode)
    throw keptOut('PIN')
  })
}

function requireRecentAuthentication({ authTime }: Caller) {
  const ageHours = (Date.now() - Date.parse(authTime)) / 3_600_000
  if (ageHours > api.maxAuthenticationAgeHours)
    throw new Problem(401, 'reauthentication-required', 'Sign in again before you let a device in.')
}

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
    pin: { required: request.isPinRequired, digits: api.pinDigits },
  }
}

async function approve({ sql, issuer, config }: Services, approval: Approval) {
  const resource = audienceOf(config.publicUrl)
  if (!(await approveDevice(sql, await issuer.provider(), { ...approval, resource }))) throw codeExpired()
}
