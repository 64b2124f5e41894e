import * as api from '@passport/contract/device-authorization'
import type { ParsedRequest } from '@passport/contract/endpoint'
import type { IdentityApi } from '@passport/contract/identity-apis'
import { type Sql, transaction } from '../database/sql.ts'
import type { Feature, Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { createAddressFailureCounter, createFailureCounter } from '../http/counters.ts'
import { tooManyRequests } from '../http/problems.ts'
import { createStreamSlots } from '../http/stream-slots.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import { estimateDistance, networkOf, type Visit } from '../http/visit.ts'
import { approveDevice } from '../provider/approve-device.ts'
import { describeScopes } from '../provider/scopes.ts'
import type { Approval } from './approval.ts'
import { confirm } from './confirm.ts'
import { decide, requireUndecided } from './decide.ts'
import { createDeviceEvents, streamDeviceStatus } from './events.ts'
import * as problems from './problems.ts'
import { recordDeviceTrace } from './record-trace.ts'
import * as store from './store.ts'
import { formatUserCode, normaliseUserCode } from './user-code.ts'

const tenMinutes = 10 * 60

type DecisionRequest = ParsedRequest<typeof api.decideDeviceAuthorization> & { caller: Caller; visit: Visit }

/** The user's side of the device flow: viewing and deciding requests. The device's side is in the provider. */
export const deviceAuthorization: Feature = ({ serve, mount }, services) => {
  const { sql, log, vault } = services
  const events = createDeviceEvents(sql, log)
  const acquireSlot = createStreamSlots()
  // Before `getDeviceAuthorization`, whose pattern matches this path as well.
  mount(
    api.deviceEventsPath,
    (incoming, outgoing) => streamDeviceStatus(services, events, incoming, outgoing, { acquireSlot }),
    { isRead: true, isStream: true },
  )
  const findByCode = createCodeLookup(services.sql)

  serve(api.getDeviceAuthorization, ({ params, caller, visit }) =>
    recordDeviceTrace(
      services,
      { code: params.code, userId: caller.id, visit, step: 'device-shown' },
      async (trace) => {
        const { userCode, request } = await findByCode(params.code, caller, visit)
        trace.about({ client: request.clientId })
        await store.recordView(sql, userCode)
        return toDeviceAuthorization(services, userCode, requireUndecided(request, caller.id), visit)
      },
    ),
  )

  const decideByUser = async ({ body, caller, visit }: DecisionRequest) => {
    const { userCode } = await findByCode(body.code, caller, visit)
    const decision = { ...body, userCode, caller, visit }
    const apis = await services.apis.list()
    const result = await transaction(sql, async (sql) => {
      const result = await decide(sql, vault, decision)
      if (result.kind === 'approved' && result.approval) await approve(sql, apis, result.approval)
      return result
    })
    if (result.kind === 'wrong number') throw problems.wrongNumber(result.attemptsLeft)
    if (result.kind === 'denied' && body.action === 'approve') throw problems.attemptsExhausted('number')
    const pin = result.kind === 'approved' ? result.pin : null
    return { userCode: formatUserCode(userCode), status: result.kind, pin }
  }
  serve(api.decideDeviceAuthorization, (request) => {
    const { body, caller, visit } = request
    const traced = { code: body.code, userId: caller.id, visit, step: 'device-decided' } as const
    return recordDeviceTrace(services, traced, async (trace) => {
      const decision = await decideByUser(request)
      if (decision.status === 'denied') trace.fail('access_denied', {}, 'device-decided')
      return decision
    })
  })

  serve(api.confirmDeviceAuthorization, async ({ body, visit }) => {
    const apis = await services.apis.list()
    const result = await transaction(sql, async (sql) => {
      const result = await confirm(sql, vault, { ...body, visit })
      if (result.kind === 'confirmed') await approve(sql, apis, result.approval)
      return result
    })
    if (result.kind === 'wrong pin') throw problems.wrongPin(result.attemptsLeft)
    if (result.kind === 'denied') throw problems.attemptsExhausted('PIN')
  })
}

/** The maximum number of wrong codes per user in ten minutes. */
const maxWrongCodesPerUser = 5
/**
 * The maximum number of wrong codes per network in ten minutes. A whole company may share a network, so this is enough
 * for 20 users. With 20⁸ codes (RFC 8628, section 5.1) and 1,000 pending requests, 100 guesses find one with a
 * probability of 1 in 250,000.
 */
const maxWrongCodesPerNetwork = 100

/**
 * Creates the function that finds the request of a code. It throws 404, also for that of a disabled client, and 429 after
 * too many wrong codes of the caller or from their network.
 */
function createCodeLookup(sql: Sql) {
  const byUser = createFailureCounter(sql, 'device-code', maxWrongCodesPerUser, tenMinutes)
  const byNetwork = createAddressFailureCounter(sql, {
    name: 'device-code-network',
    maxFailures: maxWrongCodesPerNetwork,
    lockSeconds: tenMinutes,
    networkOf,
  })
  return async (typed: string, caller: Caller, { ip }: Visit) => {
    const userSeconds = await byUser.begin(caller.id)
    // A locked user must not use up the attempts of others in their network.
    if (userSeconds > 0) throw tooManyWrongCodes(userSeconds)
    const networkSeconds = await byNetwork.begin(ip)
    if (networkSeconds > 0) {
      await byUser.cancel(caller.id)
      throw tooManyWrongCodes(networkSeconds)
    }
    const userCode = normaliseUserCode(typed)
    const request = userCode === undefined ? undefined : await store.find(sql, userCode)
    if (userCode === undefined || !request) throw problems.codeNotFound()
    await Promise.all([byUser.cancel(caller.id), byNetwork.cancel(ip)])
    return { userCode, request }
  }
}

const tooManyWrongCodes = (seconds: number) =>
  tooManyRequests(seconds, { detail: `Too many wrong codes. Try again in ${Math.ceil(seconds / 60)} min.` })

async function toDeviceAuthorization(
  { clients, apis }: Services,
  userCode: string,
  request: store.DeviceRequest,
  { ip }: Visit,
) {
  const { browser, os } = describeUserAgent(request.userAgent)
  return {
    userCode: formatUserCode(userCode),
    status: 'pending' as const,
    client: {
      id: request.clientId,
      name: (await clients.find(request.clientId))?.name ?? request.clientId,
      logoUrl: null,
    },
    scopes: await describeScopes(request.scopes, apis),
    requestedAt: request.requestedAt,
    expiresAt: request.expiresAt,
    device: {
      description: os ? `${browser} on ${os}` : browser,
      ipAddress: networkOf(request.ip),
      location: null,
      sameNetwork: networkOf(request.ip) === networkOf(ip),
      distance: estimateDistance(request.ip, ip),
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

/** Throws 410 if the code has ended, so that the decision is not stored. */
async function approve(sql: Sql, apis: IdentityApi[], approval: Approval) {
  if (!(await approveDevice(sql, apis, approval))) throw problems.codeExpired()
}
